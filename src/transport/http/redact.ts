/** Header fields whose values hold no credential. Of other fields, a trace shows only the name, or the parts chosen below. */
const harmless = /^(accept(-.+)?|access-control-.+|age|allow|cache-control|connection|content-(encoding|length|type)|date|host|if-.+|keep-alive|last-event-id|mcp-(method|name|param-.+|protocol-version)|origin|retry-after|sec-(ch|fetch)-.+|server|trailer|transfer-encoding|upgrade|user-agent|vary|via|(x-)?ratelimit-.+)$/;

/** Authentication schemes that a trace shows; after any other name, the first word may be the secret. */
const scheme = /^(aws4-hmac-sha256|basic|bearer|digest|dpop|negotiate) /i;
const credentials = /\b(basic|bearer|digest|dpop|negotiate) +(?![\w-]+ *= *")[\w.~+/=-]+/gi;

const redacted = '[redacted]';

/**
 * Header fields as a trace shows them, by lower-case name. A value that is not known to be harmless is redacted:
 * credentials keep their scheme, a URL is passed to `redactUrl`, and a session id becomes a digest, so that two
 * sessions can be told apart.
 */
export function redact(fields: Iterable<readonly [name: string, value: unknown]>): Record<string, string> {
  const shown: [string, string][] = [];
  for (const [field, value] of fields) {
    const name = field.toLowerCase();
    shown.push([name, valueOf(name, String(value))]);
  }
  return Object.fromEntries(shown);
}

function valueOf(name: string, value: string): string {
  if (harmless.test(name)) return value;
  switch (name) {
    case 'authorization': case 'proxy-authorization': return `${scheme.exec(value)?.[0] ?? ''}${redacted}`;
    case 'www-authenticate': case 'proxy-authenticate': return redactText(value);
    case 'location': case 'content-location': case 'referer': return redactUrl(value);
    case 'mcp-session-id': return `[redacted ${digestOf(value)}]`;
    default: return redacted;
  }
}

/** FNV-1a, 32 bits: too short to reveal anything useful about 128 random bits. */
export function digestOf(text: string): string {
  let digest = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) digest = Math.imul(digest ^ text.charCodeAt(at), 0x01000193);
  return (digest >>> 0).toString(16).padStart(8, '0');
}

/**
 * An absolute or relative URL as a trace or a log shows it: without its user, its fragment, the values of its query,
 * and parts of its path that look like a key.
 */
export function redactUrl(text: string): string {
  const [before, fragment] = cut(text, '#');
  const [address, query] = cut(before, '?');
  const [, start = '', authority = '', path = ''] = /^((?:[a-z][a-z\d+.-]*:)?\/\/)?([^/]*)(.*)$/is.exec(address) ?? [];
  const user = authority.lastIndexOf('@');
  const host = start === '' ? redactPath(authority) : user < 0 ? authority : `${redacted}@${authority.slice(user + 1)}`;
  return `${isPlain(start) ? start : redacted}${host}${redactPath(path)}${query === undefined ? '' : `?${query.split('&').map(redactParameter).join('&')}`}`
    + (fragment === undefined ? '' : `#${redacted}`);
}

function redactParameter(pair: string): string {
  const [name, value] = cut(pair, '=');
  return (isPlain(name) ? name : redacted) + (value === undefined ? '' : `=${redacted}`);
}

/** A URL path without the segments that look like a key. */
export const redactPath = (path: string): string => path.split('/').map((segment) => (isPlain(segment) ? segment : redacted)).join('/');

/** A text of the other side for a trace or a log, without credentials after their scheme and without words that look like a key. */
export function redactText(text: string): string {
  return text.replace(credentials, `$1 ${redacted}`).replace(/[\w~+=.-]{12,}/g, (run) => (isPlain(run) ? run : redacted));
}

/** The data of an event without a message: the URL of `endpoint` (2024-11-05), or another text. */
export const redactEvent = (type: string | undefined, data: string): string => (type === 'endpoint' ? redactUrl(data) : redactText(data));

/**
 * Whether a run of characters looks like words and numbers, not like a key. Keys and tokens are long and mix letters, digits
 * and capitals. In plain text each part between punctuation has only letters or only digits (a few may mix), and few capitals.
 */
function isPlain(run: string): boolean {
  if (run.length < 12) return true;
  let mixed = 0;
  for (const [part] of run.matchAll(/[A-Za-z\d]+/g)) {
    const { length } = part;
    if (/^\d+$/.test(part)) {
      if (length > 12) return false;
    } else if (/^[A-Za-z]+$/.test(part)) {
      const capitals = part.slice(1).replace(/[a-z]+/g, '').length;
      if (length > 32 || (capitals > length / 4 && capitals < length - 1 && length > 4)) return false;
    } else if (length > 10 || ++mixed > (run.length > 32 ? 0 : 2)) return false;
  }
  return true;
}

/** Splits a text at the first `mark`; `behind` is undefined without a mark. */
function cut(text: string, mark: string): [before: string, behind: string | undefined] {
  const at = text.indexOf(mark);
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}
