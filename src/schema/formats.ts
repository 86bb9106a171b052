import { isHostname } from './idn.ts';
import type { Format } from './model.ts';

// No expression here can backtrack: at each choice, the next character decides.

// RFC 3339 section 5.6.
const DATE = /^(\d{4})-(\d\d)-(\d\d)$/;
const TIME = /^(\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:z|([+-])(\d\d):(\d\d))$/i;

function isDate(text: string): boolean {
  const [, year = 0, month = 0, day = 0] = DATE.exec(text)?.map(Number) ?? [];
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const days =
    month === 2 ?
      leap ? 29
      : 28
    : [4, 6, 9, 11].includes(month) ? 30
    : 31;
  return month >= 1 && month <= 12 && day >= 1 && day <= days;
}

function isTime(text: string): boolean {
  const parts = TIME.exec(text);
  if (!parts) return false;
  const [hour = 0, minute = 0, second = 0, , hours = 0, minutes = 0] = parts
    .slice(1)
    .map((part) => Number(part || 0));
  if (hour > 23 || minute > 59 || second > 60 || hours > 23 || minutes > 59) return false;
  if (second < 60) return true;
  // A leap second comes at the end of a day in universal time.
  const offset = (hours * 60 + minutes) * (parts[4] === '-' ? -1 : 1);
  return (hour * 60 + minute - offset + 2 * 1440) % 1440 === 1439;
}

function isIpv4(text: string): boolean {
  return (
    /^(?:\d{1,3}\.){3}\d{1,3}$/.test(text) &&
    text.split('.').every((part) => part === String(Number(part)) && Number(part) < 256)
  );
}

function isIpv6(text: string): boolean {
  const halves = text.split('::');
  if (halves.length > 2) return false;
  let groups = 0;
  for (const [h, half] of halves.entries()) {
    const parts = half === '' ? [] : half.split(':');
    for (const [i, part] of parts.entries()) {
      const last = h === halves.length - 1 && i === parts.length - 1;
      if (last && part.includes('.') && isIpv4(part)) groups += 2;
      else if (/^[\da-f]{1,4}$/i.test(part)) groups++;
      else return false;
    }
  }
  return halves.length === 2 ? groups < 8 : groups === 8;
}

// RFC 3986 and 3987: unreserved, sub-delims, ":" and "@"; and the characters of an IRI beyond ASCII.
const PCHAR = "\\w.~!$&'()*+,;=:@\\-";
const UCS = '\\u{a0}-\\u{d7ff}\\u{f900}-\\u{fdcf}\\u{fdf0}-\\u{ffef}\\u{10000}-\\u{efffd}';
const PRIVATE = '\\u{e000}-\\u{f8ff}\\u{f0000}-\\u{10fffd}';
const SPLIT = /^(?:([a-z][a-z\d+.-]*):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#([^]*))?$/i;
const AUTHORITY = /^(?:([^@]*)@)?(?:\[([^\]]*)\]|([^:@[\]]*))(?::\d*)?$/;

// Made at the first use, so that a program without formats does not carry them.
const expressions = new Map<string, RegExp>();

/** Whether a text has only these characters and percent-encoded bytes. */
function holdsOnly(text: string, characters: string): boolean {
  let expression = expressions.get(characters);
  if (!expression) {
    expression = new RegExp(`^(?:[${characters}]|%[\\da-fA-F]{2})*$`, 'u');
    expressions.set(characters, expression);
  }
  return expression.test(text);
}

/** `more`: the characters of an IRI that a URI does not have. */
function isUri(text: string, absolute: boolean, more: string): boolean {
  const [, scheme, authority, path = '', query = '', fragment = ''] = SPLIT.exec(text) ?? [
    undefined,
    undefined,
    undefined,
    '<',
  ];
  if (
    absolute ?
      scheme === undefined
    : scheme === undefined && authority === undefined && /^[^/]*:/.test(path)
  )
    return false;
  const name = PCHAR + more;
  if (authority !== undefined) {
    const [whole, user = '', literal, host = ''] = AUTHORITY.exec(authority) ?? [];
    if (whole === undefined || !holdsOnly(user, name) || !holdsOnly(host, name)) return false;
    if (literal !== undefined && !isIpv6(literal) && !/^v[\da-f]+\.[\w.~!$&'()*+,;=:-]+$/i.test(literal))
      return false;
  }
  return (
    holdsOnly(path, name + '/') &&
    holdsOnly(query, name + '/?' + (more && PRIVATE)) &&
    holdsOnly(fragment, name + '/?')
  );
}

// RFC 5321 section 4.1.2.
const LOCAL = /^(?:[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*|"(?:[ !#-[\]-~]|\\[ -~])*")$/;
const INTERNATIONAL_LOCAL =
  /^(?:[^\s"(),.:;<>@[\]\\]+(?:\.[^\s"(),.:;<>@[\]\\]+)*|"(?:[^"\\\r\n]|\\.)*")$/u;

function isEmail(text: string, international: boolean): boolean {
  const at = text.lastIndexOf('@');
  const domain = text.slice(at + 1);
  const local = international ? INTERNATIONAL_LOCAL : LOCAL;
  if (at < 1 || at > 64 || !local.test(text.slice(0, at))) return false;
  const literal = /^\[(IPv6:)?(.*)\]$/i.exec(domain);
  if (literal) return literal[1] ? isIpv6(literal[2] ?? '') : isIpv4(literal[2] ?? '');
  return isHostname(domain.normalize('NFC'), international);
}

function isRegex(text: string): boolean {
  try {
    return new RegExp(text, 'u') instanceof RegExp;
  } catch {
    return false;
  }
}

/** Every format of JSON Schema 2020-12 (the formats of draft-07 and two more), for the option `formats` of `compile`. */
export const formats: Readonly<Record<string, Format>> = {
  date: { test: isDate, hint: 'YYYY-MM-DD' },
  time: { test: isTime, hint: 'hh:mm:ss with Z or an offset' },
  'date-time': {
    test: (text) => isDate(text.slice(0, 10)) && /^t$/i.test(text.charAt(10)) && isTime(text.slice(11)),
    hint: 'YYYY-MM-DDThh:mm:ss with Z or an offset',
  },
  duration: {
    test: (text) =>
      /^P(?!$)(?:\d+W|(?:\d+Y(?:\d+M(?:\d+D)?)?|\d+M(?:\d+D)?|\d+D)?(?:T(?:\d+H(?:\d+M(?:\d+S)?)?|\d+M(?:\d+S)?|\d+S))?)$/.test(
        text,
      ),
    hint: 'P1DT12H',
  },
  email: { test: (text) => isEmail(text, false) },
  'idn-email': { test: (text) => isEmail(text, true) },
  hostname: { test: (text) => isHostname(text, false) },
  'idn-hostname': { test: (text) => isHostname(text, true) },
  ipv4: { test: isIpv4 },
  ipv6: { test: isIpv6 },
  uri: { test: (text) => isUri(text, true, '') },
  'uri-reference': { test: (text) => isUri(text, false, '') },
  iri: { test: (text) => isUri(text, true, UCS) },
  'iri-reference': { test: (text) => isUri(text, false, UCS) },
  uuid: /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i,
  'uri-template':
    /^(?:[^\0- "%<>\\^`{|}\x7f]|%[\da-f]{2}|\{[+#./;?&=,!@|]?(?:\w|%[\da-f]{2})(?:\.?(?:\w|%[\da-f]{2}))*(?::[1-9]\d{0,3}|\*)?(?:,(?:\w|%[\da-f]{2})(?:\.?(?:\w|%[\da-f]{2}))*(?::[1-9]\d{0,3}|\*)?)*\})*$/iu,
  'json-pointer': /^(?:\/(?:[^~/]|~[01])*)*$/,
  'relative-json-pointer': /^(?:0|[1-9]\d*)(?:#|(?:\/(?:[^~/]|~[01])*)*)$/,
  regex: { test: isRegex },
};
