/**
 * Internationalised host names: RFC 5890 to 5893 (IDNA2008), as far as JavaScript's regular expressions know the
 * properties. Joining types and bidirectional classes are derived from scripts.
 */

const LDH = /^[a-z\d](?:[a-z\d-]*[a-z\d])?$/i;

// RFC 5892 section 2.6 and appendix A: exceptions, and code points that depend on their context.
const ALLOWED =
  /^[-a-z\d\p{Ll}\p{Lo}\p{Lm}\p{Mn}\p{Mc}\p{Nd}\u06fd\u06fe\u0f0b\u3007\u00b7\u0375\u05f3\u05f4\u30fb\u200c\u200d]+$/u;
const DISALLOWED = /[\u0640\u07fa\u302e\u302f\u3031-\u3035\u303b]/u;
const VIRAMA =
  '\\u094d\\u09cd\\u0a4d\\u0acd\\u0b4d\\u0bcd\\u0c4d'
  + '\\u0ccd\\u0d4d\\u0dca\\u0e3a\\u0f84\\u1039\\u103a\\u17d2';
const JOINING = '[\\p{Script=Arabic}\\p{Script=Syriac}]';
let misplaced: readonly RegExp[] | undefined;

// Without lookbehind, which small engines do not have: the character before is matched too.
const contextRules = (): readonly RegExp[] => misplaced ??= [
  /(?:^|[^l])\u00b7|\u00b7(?!l)/u,
  /\u0375(?!\p{Script=Greek})/u,
  /(?:^|\P{Script=Hebrew})[\u05f3\u05f4]/u,
  new RegExp(`(?:^|[^${VIRAMA}])\\u200d`, 'u'),
  // A ZWNJ stands between two letters that join, or after a virama: find one before, or after, a letter that does not join.
  new RegExp(`(?:^|[^${VIRAMA}])\\u200c(?!\\p{Mn}?${JOINING})`, 'u'),
  new RegExp(`(?:^|(?!${JOINING})[^${VIRAMA}\\p{Mn}]|(?:^|(?!${JOINING})[^])(?![${VIRAMA}]|${JOINING})\\p{Mn})\\u200c`, 'u'),
];

const RTL =
  /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Samaritan}\p{Script=Mandaic}\p{Script=Adlam}]/u;
const ARABIC_DIGIT = /[\u0660-\u0669]/u;
const EUROPEAN_DIGIT = /[\d\u06f0-\u06f9]/u;

/** The approximate bidirectional class: right-to-left, left-to-right, Arabic or European number, mark, neutral. */
function direction(character: string): 'R' | 'L' | 'AN' | 'EN' | 'NSM' | 'ON' {
  if (ARABIC_DIGIT.test(character)) return 'AN';
  if (EUROPEAN_DIGIT.test(character)) return 'EN';
  if (/\p{Mn}/u.test(character)) return 'NSM';
  if (RTL.test(character)) return 'R';
  return /[\p{L}\p{Mc}\p{Nd}]/u.test(character) ? 'L' : 'ON';
}

/** RFC 5893 section 2, for one label of a name with right-to-left characters. */
function keepsBidiRule(label: string): boolean {
  const classes = [...label].map(direction);
  const used = new Set<string>(classes);
  while (classes.at(-1) === 'NSM') classes.pop();
  const last = classes.at(-1) ?? '';
  if (classes[0] === 'R')
    return !used.has('L') && ['R', 'EN', 'AN'].includes(last) && !(used.has('EN') && used.has('AN'));
  return classes[0] === 'L' && !used.has('R') && !used.has('AN') && ['L', 'EN'].includes(last);
}

/** RFC 5891 section 4.2: whether a label with non-ASCII characters may be registered. */
function isULabel(label: string): boolean {
  return (
    ALLOWED.test(label) &&
    !DISALLOWED.test(label) &&
    label === label.normalize('NFC') &&
    // A letter that NFKC or case folding changes is not allowed (2.2, 2.9); the sharp s and final sigma are.
    [...label].every(
      (c) => /[\u00df\u03c2\u200c\u200d]/u.test(c) || c.toLowerCase().normalize('NFKC') === c,
    ) &&
    !/^\p{M}|^-|-$|^..--/u.test(label) &&
    !contextRules().some((rule) => rule.test(label)) &&
    !(
      label.includes('\u30fb') &&
      !/[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]/u.test(label.replaceAll('\u30fb', ''))
    ) &&
    !(ARABIC_DIGIT.test(label) && /[\u06f0-\u06f9]/u.test(label))
  );
}

/** A host name (RFC 1123) whose `xn--` labels are valid; with `international`, labels in Unicode are allowed too. */
export function isHostname(name: string, international: boolean): boolean {
  // Before any work: an encoded name has at most 253 characters, and Unicode is rarely longer than its encoding.
  if (name.length > 600) return false;
  const ascii: string[] = [];
  const labels = name.split(international ? /[.\u3002\uff0e\uff61]/u : '.').map((label) => {
    const isAscii = /^[\x21-\x7e]*$/u.test(label);
    const unicode =
      isAscii ?
        /^xn--/i.test(label) ?
          decodePunycode(label.slice(4).toLowerCase())
        : label
      : label;
    ascii.push(
      unicode === label && isAscii ? label
      : unicode === undefined ? ''
      : 'xn--' + encodePunycode(unicode),
    );
    return unicode ?? '';
  });
  if (ascii.join('.').length > 253) return false;
  const bidi = labels.some((label) => [...label].some((c) => ['R', 'AN'].includes(direction(c))));
  const given = name.split(/[.\u3002\uff0e\uff61]/u);
  return labels.every((label, i) => {
    const encoded = ascii[i] ?? '';
    const plain = label === encoded;
    if (!LDH.test(encoded) || encoded.length > 63 || (bidi && !keepsBidiRule(label))) return false;
    if (plain) return !international || !/^..--/.test(label);
    if (!isULabel(label) || /^[\x21-\x7e]*$/u.test(label)) return false;
    // An A-label must equal the encoding of its U-label; U-labels are only allowed in international names.
    return (international && given[i] === label) || given[i]?.toLowerCase() === encoded;
  });
}

// RFC 3492 section 5: the parameters of Punycode.
const BASE = 36;
const T_MIN = 1;
const T_MAX = 26;
const SKEW = 38;
const DAMP = 700;

function adapt(delta: number, points: number, first: boolean): number {
  let rest = Math.floor(delta / (first ? DAMP : 2));
  rest += Math.floor(rest / points);
  let k = 0;
  for (; rest > ((BASE - T_MIN) * T_MAX) / 2; k += BASE) rest = Math.floor(rest / (BASE - T_MIN));
  return k + Math.floor(((BASE - T_MIN + 1) * rest) / (rest + SKEW));
}

const threshold = (k: number, bias: number): number => Math.min(T_MAX, Math.max(T_MIN, k - bias));

function decodePunycode(text: string): string | undefined {
  const split = text.lastIndexOf('-');
  const out = [...text.slice(0, Math.max(0, split))].map((c) => c.charCodeAt(0));
  let n = 128;
  let i = 0;
  let bias = 72;
  for (let at = split + 1; at < text.length;) {
    const before = i;
    for (let weight = 1, k = BASE; ; k += BASE) {
      const digit = 'abcdefghijklmnopqrstuvwxyz0123456789'.indexOf(text.charAt(at++) || '-');
      if (digit < 0) return undefined;
      i += digit * weight;
      const t = threshold(k, bias);
      if (digit < t) break;
      weight *= BASE - t;
    }
    const points = out.length + 1;
    bias = adapt(i - before, points, before === 0);
    n += Math.floor(i / points);
    i %= points;
    if (n > 0x10ffff) return undefined;
    out.splice(i++, 0, n);
  }
  return String.fromCodePoint(...out);
}

function encodePunycode(text: string): string {
  const points = [...text].map((c) => c.codePointAt(0) ?? 0);
  const basic = points.filter((p) => p < 128);
  let out = String.fromCharCode(...basic) + (basic.length ? '-' : '');
  let n = 128;
  let delta = 0;
  let bias = 72;
  for (let done = basic.length; done < points.length; delta++, n++) {
    const m = Math.min(...points.filter((p) => p >= n));
    delta += (m - n) * (done + 1);
    n = m;
    for (const point of points) {
      if (point < n) delta++;
      if (point !== n) continue;
      let q = delta;
      for (let k = BASE; ; k += BASE) {
        const t = threshold(k, bias);
        const digit = q < t ? q : t + ((q - t) % (BASE - t));
        out += 'abcdefghijklmnopqrstuvwxyz0123456789'.charAt(digit);
        if (q < t) break;
        q = Math.floor((q - t) / (BASE - t));
      }
      bias = adapt(delta, done + 1, done === basic.length);
      delta = 0;
      done++;
    }
  }
  return out;
}
