import { fitsPath } from './patterns.ts';

/** One interpretation of a text as a path or a URI. */
interface LocationReading {
  /** `/a/b`, `a/b`, `C:/a`, `https://host/a`: without `.`, `..` and empty segments. */
  readonly normal: string;
  /** The path for the file system to resolve, with its `..`; undefined: it is not a path of a file system. */
  readonly path: string | undefined;
}

/** All interpretations of a text. */
export interface Location {
  readonly readings: readonly LocationReading[];
  /**
   * All programs read it in the same way: no `..`, no escapes, no backslash, no odd characters. Only a plain location
   * may be allowed.
   */
  readonly plain: boolean;
  /** The readings are complete. If not, a program may read the text in another way, so a rule that denies fits it. */
  readonly certain: boolean;
}

/** The longest text that is read. Paths and URLs are shorter. */
const maxLength = 8_192;
/** How often nested percent escapes are decoded, and the largest number of readings of one text. */
const maxRounds = 4;
const maxReadings = 64;

/**
 * A control character ends a path in one program and is dropped by another; a shell expands `~`, `$` and `%NAME%`; a
 * name such as `PROGRA~1` is short for another one; a scheme within a scheme is removed once or twice.
 */
const ODD = /[\u0000-\u001f\u007f]|^\s*(?:[~$]|%\w+%|[a-z][a-z0-9+.-]*:\/*[a-z][a-z0-9+.-]+:\/)|~\d/i;

const nothing: Location = { readings: [], plain: false, certain: false };

/**
 * Reads a text in the ways programs do: unchanged, with percent escapes decoded repeatedly, with backslashes as
 * separators, as a `file:` URI in every form, as a web URL in the way browsers parse it.
 */
export function readLocation(text: string): Location {
  if (text.length > maxLength) return nothing;
  const texts = textsOf(text);
  const readings = new Map<string, LocationReading>();
  for (const one of texts ?? []) {
    for (const reading of readingsOf(one)) readings.set(`${reading.normal} ${reading.path ?? ''}`, reading);
  }
  if (!texts || readings.size > maxReadings) return nothing;
  const odd = [...texts].some((one) => ODD.test(one));
  const all = [...readings.values()];
  const plain = !odd && !/[\\]|%(?:2f|5c|00|25)/i.test(text) && text === text.trim() && !all.some(({ path }) => path !== undefined && climbs(path))
    && (!/^[a-z][a-z0-9+.-]*:/i.test(text) || /^(?:file:\/\/(?:localhost)?\/|[a-z][a-z0-9+.-]*:\/\/[^/])/.test(text));
  return { readings: all, plain, certain: !odd && all.length > 0 };
}

/** The text and its variants by escapes, white space and separators; undefined if escapes nest too deep. */
function textsOf(text: string): Set<string> | undefined {
  const texts = new Set<string>();
  let escaped = text;
  for (let round = 0; round <= maxRounds; round++) {
    for (const one of [escaped, escaped.trim()]) {
      texts.add(one);
      texts.add(one.replaceAll('\\', '/'));
      // Programs that normalize turn full-width dots and slashes into those of ASCII.
      texts.add(one.normalize('NFKC').replaceAll('\\', '/'));
      // Windows reads `//?/C:/a` and `\\.\C:\a` as `C:/a`; some programs so read `/C:/a`, which is the path of a `file:` URI.
      texts.add(one.replaceAll('\\', '/').replace(/^(file:)?\/{1,4}(?:[?.]{1,2}\/)?(?=[a-z]:)/i, (_device, scheme = '') => scheme && 'file:///'));
    }
    const next = unescaped(escaped);
    if (next === escaped) return texts;
    escaped = next;
  }
  return undefined;
}

/** Decodes percent escapes like a lenient reader: malformed escapes stay. */
function unescaped(text: string): string {
  return text.replace(/(?:%[0-9a-f]{2})+/gi, (run) =>
    new TextDecoder().decode(Uint8Array.from({ length: run.length / 3 }, (_, i) => Number.parseInt(run.slice(3 * i + 1, 3 * i + 3), 16))));
}

function readingsOf(text: string): LocationReading[] {
  const [, scheme = '', rest = ''] = /^([a-z][a-z0-9+.-]*):([^]*)$/i.exec(text) ?? [];
  // A program that reads URLs takes a path as a reference: without its query and fragment.
  if (scheme === '' || scheme.length === 1) return [pathReading(text), pathReading(withoutQuery(text))];
  const name = scheme.toLowerCase();
  if (name === 'http' || name === 'https' || name === 'ws' || name === 'wss' || name === 'ftp') return webReadings(text);
  const [, authority, path = ''] = /^\/\/([^/?#]*)([^]*)$/.exec(rest) ?? [undefined, undefined, rest];
  const plain = withoutQuery(path);
  if (name === 'file') {
    // RFC 8089: this machine as the host, or no host. Browsers read `file:etc` as `/etc`, other programs as relative.
    const here = authority === undefined || ['', 'localhost', '127.0.0.1', '[::1]'].includes(authority.toLowerCase());
    const paths = new Set([path, plain].flatMap((one) => [one, one.replace(/^\/+(?=[a-z][:|])/i, '').replace(/^([a-z])\|/i, '$1:'), `/${one}`]));
    return [
      ...[...paths].map(pathReading),
      // A host: on another machine for programs that follow it; `file://etc/passwd` is `/etc/passwd` for programs that
      // only remove the scheme.
      ...here ? [] : [{ normal: `file://${authority?.toLowerCase() ?? ''}${normal(plain)}`, path: undefined }, pathReading(`/${authority ?? ''}${path}`), pathReading(`${authority ?? ''}${path}`)],
    ];
  }
  return [
    { normal: authority === undefined ? `${name}:${plain}` : `${name}://${authority.toLowerCase()}${normal(plain)}`, path: undefined },
    ...plain.startsWith('/') ? [pathReading(plain)] : [],
  ];
}

/**
 * The URL as browsers parse it, with user and port and without; no reading if they refuse it. The query is left out.
 */
function webReadings(text: string): LocationReading[] {
  if (!URL.canParse(text)) return [];
  const { protocol, username, host, hostname, pathname } = new URL(text);
  const hosts = new Set([hostname.replace(/\.$/, ''), host, username === '' ? host : `${username}@${host}`]);
  return [...textsOf(pathname) ?? []].flatMap((path) => [...hosts].map((one) => ({ normal: `${protocol}//${one}${normal(path)}`, path: undefined })));
}

/** The text up to the first `?` or `#`. */
const withoutQuery = (text: string): string => text.split(/[?#]/, 1)[0] ?? '';

const pathReading = (path: string): LocationReading => ({ normal: normal(path), path });

const climbs = (path: string): boolean => path.split('/').includes('..');

/** A path without `.` and empty segments, and without `..` where possible: the form that programs make without following links. */
export function normal(path: string): string {
  const kept: string[] = [];
  for (const segment of path.split('/')) {
    if (segment === '..' && !path.startsWith('/') && (kept.length === 0 || kept.at(-1) === '..')) kept.push(segment);
    else if (segment === '..') kept.pop();
    else if (segment !== '.' && segment !== '') kept.push(segment);
  }
  return `${path.startsWith('/') ? '/' : ''}${kept.join('/')}`;
}

/** A pattern in the form of readings: from a path, from a `file:` URI, or from another URI. */
export function patternOf(text: string): string {
  if (/^(?:https?|wss?|ftp):\/\//i.test(text) && URL.canParse(text)) {
    const { protocol, host, pathname } = new URL(text);
    return `${protocol}//${host}${normal(unescaped(pathname))}`;
  }
  const file = /^file:\/\/(?:localhost)?(\/[^]*)$/i.exec(text)?.[1];
  const path = (file === undefined ? text : unescaped(file)).replaceAll('\\', '/');
  const [, scheme = '', authority = '', rest = ''] = /^([a-z][a-z0-9+.-]+):\/\/([^/]*)([^]*)$/i.exec(path) ?? [];
  return scheme === '' ? normal(path) : `${scheme.toLowerCase()}://${authority.toLowerCase()}${normal(rest)}`;
}

/**
 * The kind of a location. Two locations of one kind mean the same only if they fit each other. A path of one kind may also mean one of
 * another: `/a` is on the current drive, if there are drives.
 */
export const kindOf = (location: string): 'absolute' | 'drive' | 'relative' | 'uri' =>
  (/^[a-z][a-z0-9+.-]+:\/\//i.test(location) ? 'uri' : /^\/?[a-z]:\//i.test(location) ? 'drive' : location.startsWith('/') ? 'absolute' : 'relative');

/**
 * Whether a location fits a pattern on some file system: such systems ignore case, forms of Unicode, characters that are
 * not drawn, dots and blanks at the end of a name, and the text after `:`.
 */
export function fitsLoosely(pattern: string, location: string): boolean {
  return fitsPath(pattern, location) || fitsPath(folded(pattern), folded(location));
}

const folded = (location: string): string => location.normalize('NFKC').replace(/\p{Default_Ignorable_Code_Point}+/gu, '').toUpperCase().toLowerCase().split('/')
  .map((segment, at) => {
    // Not the drive letter, and not the scheme.
    const name = at === 0 ? segment : segment.split(':', 1)[0] ?? '';
    return name === '*' || name === '**' ? name : trimmedEnd(name);
  })
  .filter((segment, at) => segment !== '' || at === 0).join('/');

function trimmedEnd(name: string): string {
  let end = name.length;
  while (end > 0 && (name[end - 1] === '.' || name[end - 1] === ' ')) end--;
  return name.slice(0, end);
}
