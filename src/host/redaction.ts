/** Names of members whose values are secrets by their name. */
const secretName = /pass(word|wd|phrase)?$|secret|token|authorization|api[-_]?key|cookie|credential|private[-_]?key/i;

/** Text that is a secret by its looks: a bearer token, a JWT, a key with a well-known prefix. */
const secretText = /\b(?:bearer|basic)\s+[\w.~+/=-]{8,}|\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*|\b(?:sk|pk|ghp|gho|ghs|github_pat|xox[abp]|AKIA)[-_]?[A-Za-z0-9_-]{12,}/gi;

const redacted = '[redacted]';

/** The most characters of one text that are kept. */
const maxText = 4_000;
const maxItems = 200;
const maxDepth = 12;

/**
 * A copy of a JSON value for the log: secrets replaced by `[redacted]`, long text and long lists cut with a note of
 * what is missing. The looks of a secret are a guess: what must never be logged must not be an argument.
 */
export function redact(value: unknown, depth: number = 0): unknown {
  if (typeof value === 'string') {
    const kept = value.length > maxText ? `${value.slice(0, maxText)}… (${value.length - maxText} characters more)` : value;
    return kept.replace(secretText, redacted);
  }
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= maxDepth) return '… (nested too deep to log)';
  if (Array.isArray(value)) {
    const items: unknown[] = value.slice(0, maxItems).map((item) => redact(item, depth + 1));
    if (value.length > maxItems) items.push(`… (${value.length - maxItems} items more)`);
    return items;
  }
  const members = Object.entries(value);
  const kept = members.slice(0, maxItems).map(([name, member]): [string, unknown] =>
    [name, secretName.test(name) && member !== null && member !== undefined ? redacted : redact(member, depth + 1)]);
  if (members.length > maxItems) kept.push(['…', `${members.length - maxItems} members more`]);
  return Object.fromEntries(kept);
}
