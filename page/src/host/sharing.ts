// A transcript for sharing: probable secrets are redacted, and their places listed, so that the person can check them first.
import { recorder } from 'barewire/transcript';
import type { ResultOf } from '../messages.ts';
import { below } from '../json/lexemes.ts';
import type { WireLog } from './wire-log.ts';
import { parsed } from './wire-log.ts';

const secretName = /pass(word|wd|phrase|code)?$|secret|(^|[^a-z])token$|[a-z]Token$|authorization|api[-_]?key|cookie|credential|private[-_]?key/i;
/** Progress tokens and page cursors are names, not credentials. */
const harmless = /^(progressToken|nextCursor|cursor)$/;
/** A run of characters that keys and tokens consist of. Each run is checked once, and redacted as a whole. */
const tokenRun = /[\w.~+/=-]{8,}/g;
/** A key with a known prefix. */
const knownKey = /(?<![A-Za-z0-9])(?:sk|pk|ghp|gho|ghs|github_pat|xox[abp]|AKIA)[-_]?[A-Za-z0-9_-]{12}/i;
/** A JWT, or another object in base64url. */
const encodedObject = /eyJ[\w-]{8}/i;
/** The scheme before the credentials of an `Authorization` header. */
const scheme = /\b(?:bearer|basic)\s{1,8}$/i;
const redacted = '[redacted]';
const maxDepth = 200;
/** The most places that are listed. */
const maxNamed = 1_000;

/** Messages of a server as a transcript, and the places in it that were redacted. Secrets are recognized by heuristics only. */
export function shared(wire: WireLog, server: string, from?: number, to?: number): ResultOf<'wire.share'> {
  const made = recorder();
  const named: ResultOf<'wire.share'>['redacted'][number][] = [];
  let text = '';
  let messages = 0;
  for (const { entry, text: message } of wire.messages(server, from, to)) {
    messages++;
    const before = named.length;
    const tell = (path: string, why: string): void => {
      if (named.length < maxNamed) named.push({ seq: entry.seq, path, why });
      else named.length = maxNamed;
    };
    let touched = false;
    const value = parsed(message);
    const clean = cleaned(value, '', (path, why) => {
      touched = true;
      tell(path, why);
    }, 0);
    // A text that is not JSON is searched as a string. A message without secrets keeps its own tokens.
    const raw = value === undefined ? withoutSecrets(message) : touched ? JSON.stringify(clean) : message;
    if (value === undefined && raw !== message && named.length === before) tell('', 'looks like a key');
    text += made.add(entry.direction === 'sent' ? 'client' : 'server', raw);
  }
  return { text, redacted: named, messages };
}

const withoutSecrets = (text: string): string => text.replace(tokenRun, (run: string, at: number) =>
  (encodedObject.test(run) || knownKey.test(run) || scheme.test(text.slice(Math.max(0, at - 16), at)) ? redacted : run));

function cleaned(value: unknown, path: string, tell: (path: string, why: string) => void, depth: number): unknown {
  if (typeof value === 'string') {
    const clean = withoutSecrets(value);
    if (clean !== value) tell(path, 'looks like a key');
    return clean;
  }
  if (typeof value !== 'object' || value === null) return value;
  if (depth > maxDepth) {
    tell(path, 'is nested too deep to be looked through');
    return redacted;
  }
  if (Array.isArray(value)) return value.map((one: unknown, at) => cleaned(one, below(path, at), tell, depth + 1));
  return Object.fromEntries(Object.entries(value).map(([name, one]: [string, unknown]) => {
    const at = below(path, name);
    // Only strings and numbers can be secrets: a schema that describes a password contains none.
    const secret = (typeof one === 'string' || typeof one === 'number') && one !== '' && secretName.test(name) && !harmless.test(name);
    if (secret) tell(at, 'its name says that it is secret');
    return [name, secret ? redacted : cleaned(one, at, tell, depth + 1)];
  }));
}
