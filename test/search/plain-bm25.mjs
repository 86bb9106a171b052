// The baseline for the search: plain Okapi BM25 over all words of a tool.
const words = (text) => text.toLowerCase().match(/[a-z0-9]+/g) ?? [];

/** Returns a function that gives the names of the best tools for a request. */
export function plainBm25(tools) {
  const texts = tools.map(({ name, tool: { name: own, description = '', inputSchema: { properties = {} } } }) => ({
    name, words: words([own, description, ...Object.entries(properties).flatMap(([argument, about]) => [argument, about.description ?? ''])].join(' ')),
  }));
  const mean = texts.reduce((sum, text) => sum + text.words.length, 0) / texts.length;
  return (request, limit) => {
    const scores = texts.map((text) => [text.name, words(request).reduce((sum, word) => {
      const count = text.words.filter((one) => one === word).length;
      const having = texts.filter((one) => one.words.includes(word)).length;
      if (count === 0) return sum;
      const rarity = Math.log(1 + (texts.length - having + 0.5) / (having + 0.5));
      return sum + rarity * count * 2.2 / (count + 1.2 * (0.25 + 0.75 * text.words.length / mean));
    }, 0)]);
    return scores.filter(([, score]) => score > 0).sort((a, b) => b[1] - a[1]).slice(0, limit).map(([name]) => name);
  };
}
