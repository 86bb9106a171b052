/** Text into words for a search: `createPullRequest`, `create_pull_request` and "create pull requests" are the same three. */
export function wordsOf(text: string): string[] {
  const found: string[] = [];
  const split = text.slice(0, 4_000)
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .toLowerCase();
  for (const [word] of split.matchAll(/[\p{L}\p{N}]+/gu)) if (!tooCommon.has(word)) found.push(stem(word));
  return found;
}

const tooCommon = new Set('a an and are as at be by for from in into is it its of on or that the this to with which will'.split(' '));

/**
 * An English word without its ending, so that "searches", "searching" and "searched" meet. Short and rough: it only has
 * to map the forms of one word to one text, which need not be a word.
 */
export function stem(word: string): string {
  if (word.length < 4) return word;
  let root = word.replace(/'s$/, '');
  if (root.endsWith('sses')) root = root.slice(0, -2);
  else if (/[^aeiou]ies$/.test(root)) root = `${root.slice(0, -3)}y`;
  else if (/(x|ch|sh|z)es$/.test(root)) root = root.slice(0, -2);
  else if (/[^su]s$/.test(root)) root = root.slice(0, -1);
  for (const ending of ['ational', 'ation', 'ments', 'ment', 'ness', 'ingly', 'ing', 'edly', 'ed', 'er', 'or', 'ly', 'ion']) {
    if (!root.endsWith(ending) || root.length - ending.length < 3) continue;
    root = root.slice(0, -ending.length);
    // "planning" and "plan", "running" and "run".
    if (/([bdfgmnprt])\1$/.test(root)) root = root.slice(0, -1);
    break;
  }
  return root.replace(/([^aeiou])y$/, '$1i').replace(/([^e])e$/, '$1');
}
