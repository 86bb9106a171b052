import { isHostname } from './idn.ts';
import type { FormatCheck } from './types.ts';

// No expression here can backtrack: wherever there is a choice, the next character decides it.

function expression(pattern: RegExp, hint?: string): FormatCheck {
  return check((text) => pattern.test(text), hint);
}

function check(test: (text: string) => boolean, hint?: string): FormatCheck {
  return hint ? Object.assign(test, { hint }) : test;
}

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
  // A leap second ends a day of universal time.
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

// RFC 3986 and 3987: unreserved, sub-delims, ":" and "@"; and what an IRI has beyond ASCII.
const PCHAR = "\\w.~!$&'()*+,;=:@\\-";
const UCS = '\\u{a0}-\\u{d7ff}\\u{f900}-\\u{fdcf}\\u{fdf0}-\\u{ffef}\\u{10000}-\\u{efffd}';
const PRIVATE = '\\u{e000}-\\u{f8ff}\\u{f0000}-\\u{10fffd}';
const SPLIT = /^(?:([a-z][a-z\d+.-]*):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#([^]*))?$/i;
const AUTHORITY = /^(?:([^@]*)@)?(?:\[([^\]]*)\]|([^:@[\]]*))(?::\d*)?$/;

function uri(absolute: boolean, more: string): FormatCheck {
  const only = (characters: string): RegExp => new RegExp(`^(?:[${characters}]|%[\\da-fA-F]{2})*$`, 'u');
  const path = only(PCHAR + '/' + more);
  const query = only(PCHAR + '/?' + more + (more && PRIVATE));
  const fragment = only(PCHAR + '/?' + more);
  const name = only(PCHAR + more);
  return (text) => {
    const [, scheme, authority, rest = '', question = '', hash = ''] = SPLIT.exec(text) ?? [
      undefined,
      undefined,
      undefined,
      '<',
    ];
    if (
      absolute ?
        scheme === undefined
      : scheme === undefined && authority === undefined && /^[^/]*:/.test(rest)
    )
      return false;
    if (authority !== undefined) {
      const [whole, user = '', literal, host = ''] = AUTHORITY.exec(authority) ?? [];
      if (whole === undefined || !name.test(user) || !name.test(host)) return false;
      if (literal !== undefined && !isIpv6(literal) && !/^v[\da-f]+\.[\w.~!$&'()*+,;=:-]+$/i.test(literal))
        return false;
    }
    return path.test(rest) && query.test(question) && fragment.test(hash);
  };
}

// RFC 5321 section 4.1.2.
function email(international: boolean): FormatCheck {
  const local =
    international ?
      /^(?:[^\s"(),.:;<>@[\]\\]+(?:\.[^\s"(),.:;<>@[\]\\]+)*|"(?:[^"\\\r\n]|\\.)*")$/u
    : /^(?:[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*|"(?:[ !#-[\]-~]|\\[ -~])*")$/;
  return (text) => {
    const at = text.lastIndexOf('@');
    const domain = text.slice(at + 1);
    if (at < 1 || at > 64 || !local.test(text.slice(0, at))) return false;
    const literal = /^\[(IPv6:)?(.*)\]$/i.exec(domain);
    if (literal) return literal[1] ? isIpv6(literal[2] ?? '') : isIpv4(literal[2] ?? '');
    return isHostname(domain.normalize('NFC'), international);
  };
}

function isRegex(text: string): boolean {
  try {
    return new RegExp(text, 'u') instanceof RegExp;
  } catch {
    return false;
  }
}

/**
 * Every format of JSON Schema 2020-12 (which are those of draft-07 and two more), for `compile`'s option
 * `formats`.
 */
export const formats: Readonly<Record<string, FormatCheck>> = /* @__PURE__ */ ((): Record<
  string,
  FormatCheck
> => ({
  date: check(isDate, 'YYYY-MM-DD'),
  time: check(isTime, 'hh:mm:ss with Z or an offset'),
  'date-time': check(
    (text) => isDate(text.slice(0, 10)) && /^t$/i.test(text.charAt(10)) && isTime(text.slice(11)),
    'YYYY-MM-DDThh:mm:ss with Z or an offset',
  ),
  duration: expression(
    /^P(?!$)(?:\d+W|(?:\d+Y(?:\d+M(?:\d+D)?)?|\d+M(?:\d+D)?|\d+D)?(?:T(?:\d+H(?:\d+M(?:\d+S)?)?|\d+M(?:\d+S)?|\d+S))?)$/,
    'P1DT12H',
  ),
  email: email(false),
  'idn-email': email(true),
  hostname: (text) => isHostname(text, false),
  'idn-hostname': (text) => isHostname(text, true),
  ipv4: isIpv4,
  ipv6: isIpv6,
  uri: uri(true, ''),
  'uri-reference': uri(false, ''),
  iri: uri(true, UCS),
  'iri-reference': uri(false, UCS),
  uuid: expression(/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i),
  'uri-template': expression(
    /^(?:[^\0- "%<>\\^`{|}\x7f]|%[\da-f]{2}|\{[+#./;?&=,!@|]?(?:\w|%[\da-f]{2})(?:\.?(?:\w|%[\da-f]{2}))*(?::[1-9]\d{0,3}|\*)?(?:,(?:\w|%[\da-f]{2})(?:\.?(?:\w|%[\da-f]{2}))*(?::[1-9]\d{0,3}|\*)?)*\})*$/iu,
  ),
  'json-pointer': expression(/^(?:\/(?:[^~/]|~[01])*)*$/),
  'relative-json-pointer': expression(/^(?:0|[1-9]\d*)(?:#|(?:\/(?:[^~/]|~[01])*)*)$/),
  regex: isRegex,
}))();
