/** Splits text into words for a search: `createPullRequest`, `create_pull_request` and "create pull requests" give the same three. */
export function wordsOf(text: string): string[] {
  return rawWordsOf(text).filter((word) => !tooCommon.has(word)).map(stem);
}

/** All words of a text, in lower case; names in it are split. */
export function rawWordsOf(text: string): string[] {
  return text.slice(0, 4_000)
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .toLowerCase()
    .replace(/(\p{L})['’]s?(?=\P{L}|$)/gu, '$1')
    .match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** Words of every English sentence, and words of polite requests. */
export const tooCommon: ReadonlySet<string> = new Set(`
  a an and any are as at be been being but by can could did do does for from had has have how i if in into is it its just
  let like me my no not of off on one or our out over please so some somebody than that the their them then these they this those to
  too up use used uses using want was we were what when where which who whose why will with would you your`.trim().split(/\s+/));
/**
 * An English word without its ending, so that "searches", "searching" and "searched" meet. Short and rough: it only has
 * to map the forms of one word to one text, which need not be a word.
 */
export function stem(word: string): string {
  if (word.length < 4) return word;
  let root = word.replace(/'s$/, '');
  if (root.endsWith('sses')) root = root.slice(0, -2);
  else if (/[^aeiou]ies$/.test(root)) root = `${root.slice(0, -3)}y`;
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
