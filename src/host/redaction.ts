import { head } from '../explain/safe-text.ts';
import { errorMessage } from '../jsonrpc/internal-exports.ts';
import { redactText, redactUrl } from '../transport/internal-exports.ts';

/** Names of members whose values are secrets. */
const secretName = /pass(word|wd|phrase)?$|secret|token|authorization|api[-_]?key|cookie|credential|private[-_]?key/i;

/** But this is the protocol's name for a number of tokens. */
const tokenCount = 'maxTokens';

/**
 * Names of members whose values identify something, whatever they look like: an order's number, a tool, the digest of
 * a pin.
 */
const identifying = /(^|[a-z\d_-])(id|Id|ID|ids|Ids|IDs)$|^(server|tool|call|principal|digest|formerly)$/;
/** But the id of a session is a credential. */
const session = /sess|auth/i;
/** Keys of `_meta` whose values hold no credential: the protocol's own keys, and the identity of a trace. */
const plainMeta = /^(progressToken|traceparent|io\.modelcontextprotocol\/.+)$/;
const address = /^[a-z][a-z\d+.-]*:\/\/\S*$/i;

/** A run of characters of which tokens consist: each run is checked once, as a whole. */
const tokenRun = /[\w.~+/=-]{8,}/g;
/** Whether a key or an address may have the character at this place. */
const inRun = (text: string, at: number): boolean => /[!#-;=?-~]/.test(text.charAt(at));
/** A key with a well-known prefix. Its length needs no upper bound, since the whole run is replaced. */
const knownKey = /(?:^|[^A-Za-z0-9])(?:sk|pk|ghp|gho|ghs|github_pat|xox[abp]|AKIA)[-_]?[A-Za-z0-9_-]{12}/i;
/** The header of a JWT, or another JSON object in base64url. */
const encodedObject = /eyJ[\w-]{8}/;
/** The text before the credentials of HTTP. */
const scheme = /\b(?:bearer|basic)\s{1,8}$/i;

const redacted = '[redacted]';

/** The largest number of characters that are kept of one text. */
const maxText = 4_000;
/** The same for the name of a member. */
const maxName = 200;
const maxItems = 200;
const maxDepth = 12;
/** The largest number of values, and of characters of text, in one line of the log. */
const maxValues = 5_000;
const maxChars = 200_000;

/** The remaining room in one line. */
interface Room {
  values: number;
  chars: number;
}

/**
 * A copy of a value for the log, which JSON can always write: secrets become `[redacted]`, long texts and lists are cut with a note about
 * the missing part, and values that JSON lacks are named by their kind. In a text, parts that look like words are kept; an address becomes
 * the result of `redactUrl`; identifiers are kept by the names of their members. All of this is a guess: do not pass anything as an
 * argument that must never be logged.
 */
export function redact(value: unknown): unknown {
  return copied(value, 0, { values: maxValues, chars: maxChars }, '');
}

/** `name`: the member that holds the value. */
function copied(value: unknown, depth: number, room: Room, name: string): unknown {
  if (--room.values < 0) return '… (more values than a line of the log holds)';
  switch (typeof value) {
    case 'string': return cleaned(value, Math.max(0, Math.min(maxText, room.chars)), room, identifying.test(name) && !session.test(name));
    case 'boolean': case 'undefined': return value;
    case 'number': return Number.isFinite(value) ? value : `[number ${value}]`;
    case 'object': break;
    default: return `[${typeof value}${typeof value === 'bigint' ? ` ${head(String(value), maxName)}` : ''}]`;
  }
  if (value === null) return null;
  if (depth >= maxDepth) return '… (nested too deep to log)';
  try {
    return Array.isArray(value) ? items(value, depth, room, name) : members(value, depth, room, name);
  } catch (thrown) {
    // A proxy or a getter of the application that throws.
    return `[object that cannot be read: ${head(errorMessage(thrown), maxName)}]`;
  }
}

function items(list: readonly unknown[], depth: number, room: Room, name: string): unknown[] {
  const kept: unknown[] = [];
  for (let at = 0; at < Math.min(list.length, maxItems) && room.values > 0; at++) kept.push(copied(list[at], depth + 1, room, name));
  if (list.length > kept.length) kept.push(`… (${list.length - kept.length} items more)`);
  return kept;
}

function members(value: object, depth: number, room: Room, own: string): unknown {
  const said = 'toJSON' in value && typeof value.toJSON === 'function' ? value.toJSON() as unknown : value;
  if (said !== value) return copied(said, depth + 1, room, own);
  const all = Object.keys(value);
  const kept: [string, unknown][] = [];
  for (const name of all.slice(0, maxItems)) {
    if (room.values <= 0) break;
    const member = (value as Readonly<Record<string, unknown>>)[name];
    const secret = member !== null && member !== undefined && (own === '_meta' ? !plainMeta.test(name) : secretName.test(name) && name !== tokenCount);
    kept.push([name.length > maxName ? `${cleaned(name, maxName, room, false)} #${kept.length}` : name, secret ? redacted : copied(member, depth + 1, room, name)]);
  }
  if (all.length > kept.length) kept.push(['…', `${all.length - kept.length} members more`]);
  return Object.fromEntries(kept);
}

/** A text without its secrets, of at most `most` characters. `identifies`: the text is kept, unless it is a known kind of key. */
function cleaned(text: string, most: number, room: Room, identifies: boolean): string {
  let kept = head(text, most);
  room.chars -= kept.length;
  // A part of a key does not look like one: the run of characters that the cut splits is left out.
  if (!identifies && inRun(text, kept.length)) {
    let end = kept.length;
    while (inRun(kept, end - 1)) end--;
    kept = kept.slice(0, end);
  }
  const plain = identifies ? kept : address.test(kept) ? redactUrl(kept) : redactText(kept);
  const clean = plain.replace(tokenRun, (run, at: number) =>
    (encodedObject.test(run) || knownKey.test(run) || scheme.test(plain.slice(Math.max(0, at - 16), at)) ? redacted : run));
  return kept.length === text.length ? clean : `${clean}… (${text.length - kept.length} characters more)`;
}
