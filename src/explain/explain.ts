import {
  headerMismatchCode, internalErrorCode, invalidParamsCode, invalidRequestCode, methodNotFoundCode, missingClientCapabilityCode,
  parseErrorCode, resourceNotFoundCode, unsupportedProtocolVersionCode, urlElicitationRequiredCode,
} from '../jsonrpc/internal-exports.ts';
import { locate } from './locate.ts';
import { methods, questions, revisions, taskCreated } from './phrases.ts';
import type { Where, WireMethod } from './phrases.ts';
import { bag, capabilities, count, items, name, quote, some } from './words.ts';
import type { MessageMembers } from './words.ts';

/** The meaning of one wire message, and where it is specified. */
export interface Explanation {
  /** One plain line of about 200 columns at most, safe to print whatever the peer sent. */
  readonly what: string;
  /** The revision, the page, and usually the heading: `2025-06-18 server/tools#calling-tools`. */
  readonly section: string;
}

// Where each revision specifies JSON-RPC itself.
const messagesAt: Where = { '2024-11-05': 'basic/messages', '2025-03-26': 'basic/index#messages' };
const requestsAt: Where = { '2024-11-05': 'basic/messages#requests', '2025-03-26': 'basic/index#requests' };
const notificationsAt: Where = {
  '2024-11-05': 'basic/messages#notifications',
  '2025-03-26': 'basic/index#notifications',
};
const resultsAt: Where = {
  '2024-11-05': 'basic/messages#responses',
  '2025-03-26': 'basic/index#responses',
  '2025-11-25': 'basic/index#result-responses',
};
const errorsAt: Where = {
  '2024-11-05': 'basic/messages#responses',
  '2025-03-26': 'basic/index#responses',
  '2025-11-25': 'basic/index#error-responses',
  '2026-07-28': 'basic/index#error-codes',
};
const batchesAt: Where = { '2025-03-26': 'basic/index#batching', '2025-06-18': '' };
const retriesAt: Where = { '2026-07-28': 'basic/patterns/mrtr#client-requirements-basic-workflow' };
const questionsAt: Where = { '2026-07-28': 'basic/patterns/mrtr#inputrequiredresult' };
const tasksAt: Where = { '2025-11-25': 'basic/utilities/tasks#creating-tasks', '2026-07-28': '' };

interface Code {
  readonly means: string;
  readonly where?: Where;
  readonly more?: (data: MessageMembers) => string;
  /** Whether the code has this meaning in the response to that method; undefined: in every response. */
  readonly answers?: (method: string) => boolean;
}

const codes: ReadonlyMap<number, Code> = new Map<number, Code>([
  [parseErrorCode, { means: 'not JSON', where: errorsAt }],
  [invalidRequestCode, { means: 'invalid request', where: errorsAt }],
  [methodNotFoundCode, { means: 'unknown method', where: errorsAt }],
  [invalidParamsCode, { means: 'invalid parameters' }],
  [internalErrorCode, { means: 'internal error' }],
  // 2026-07-28 basic/index#error-codes: receivers MUST NOT assume a meaning of a code from -32000 to -32019, but for this one.
  // It is specified where resources are: 2026-07-28 server/resources#error-handling.
  [
    resourceNotFoundCode,
    {
      means: 'resource not found',
      where: { '2024-11-05': 'server/resources#error-handling' },
      answers: (method) => method.startsWith('resources/'),
    },
  ],
  [
    urlElicitationRequiredCode,
    {
      means: 'a page must be visited first',
      where: { '2025-11-25': 'client/elicitation#url-elicitation-required-error', '2026-07-28': '' },
      more: (data) => some(items(data.elicitations).map((one) => bag(one).url)),
    },
  ],
  [
    headerMismatchCode,
    {
      means: 'headers and body disagree',
      where: { '2026-07-28': 'basic/transports/streamable-http#server-validation' },
    },
  ],
  [
    missingClientCapabilityCode,
    {
      means: 'the client lacks a capability',
      where: { '2026-07-28': 'basic/index#error-codes' },
      more: (data) => capabilities(data.requiredCapabilities),
    },
  ],
  [
    unsupportedProtocolVersionCode,
    {
      means: 'the revision is not spoken',
      where: { '2026-07-28': 'basic/versioning#protocol-version-negotiation' },
      more: (data) => `${some(items(data.supported))} would be`,
    },
  ],
]);

/** The meaning of a code in the response to this method. An unknown method may be any. */
function codeOf(code: unknown, method: string | undefined): Code | undefined {
  const known = typeof code === 'number' ? codes.get(code) : undefined;
  return method === undefined || known?.answers?.(method) !== false ? known : undefined;
}

/** The words for a code that the specification does not define. */
function rangeOf(code: number): string {
  if (code >= -32019 && code <= -32000) return "the implementation's own code";
  return code >= -32768 && code < -32000 ? 'a reserved code' : "the application's own code";
}

/** The revision that the message itself names, if barewire knows it. */
function claimed(params: MessageMembers, result: MessageMembers): string | undefined {
  const own = params.protocolVersion ?? result.protocolVersion;
  const version = own ?? bag(params._meta)['io.modelcontextprotocol/protocolVersion'];
  return typeof version === 'string' && revisions.includes(version) ? version : undefined;
}

const sideOf = (sent: boolean): string => (sent ? 'This side' : 'The other side');

// The sender: known from the method if only one side may send it, else from the direction.
function speaker(from: WireMethod['from'] | undefined, sent: boolean, answering: boolean): string {
  if (from === undefined || from === 'both') return sideOf(sent);
  return (from === 'client') !== answering ? 'The client' : 'The server';
}

const spell = (words: string | ((bag: MessageMembers) => string) | undefined, of: MessageMembers): string | undefined =>
  typeof words === 'function' ? words(of) : words;

function explainCall(message: MessageMembers, sent: boolean, revision: string | undefined): Explanation {
  const { method, id } = message;
  const params = bag(message.params);
  const entry = typeof method === 'string' ? methods.get(method) : undefined;
  const kind = 'id' in message ? 'request' : 'notification';
  if (!entry) {
    const { section } = locate(kind === 'request' ? requestsAt : notificationsAt, revision);
    return { what: `${sideOf(sent)} sends the ${kind} ${name(method)}, which no revision has`, section };
  }
  const retry = params.inputResponses !== undefined || params.requestState !== undefined;
  const { section, absent } = locate(entry.special?.(params) ?? (retry ? retriesAt : entry.where), revision);
  const meta = bag(params._meta);
  const subscription = meta['io.modelcontextprotocol/subscriptionId'];
  const notes = [
    retry && `again, with answers to: ${some(Object.keys(bag(params.inputResponses))) || 'nothing'}`,
    params.task !== undefined && kind === 'request' && 'as a task',
    kind === 'request' && meta.progressToken !== undefined && `progress as ${name(meta.progressToken)}`,
    subscription !== undefined && `for subscription ${name(subscription)}`,
    kind !== entry.kind &&
      (kind === 'request' ? 'with an id, but it is a notification' : 'without an id: no answer'),
    kind === 'request' && typeof id !== 'string' && !Number.isInteger(id) && 'with an id that is not allowed',
    absent && `not in ${name(revision)}`,
  ].filter((note) => note !== false);
  const what = `${speaker(entry.from, sent, false)} ${spell(entry.says, params) ?? ''}`;
  return { what: notes.length ? `${what} [${notes.join('; ')}]` : what, section };
}

function explainResult(
  message: MessageMembers,
  sent: boolean,
  revision: string | undefined,
  method?: string,
): Explanation {
  const result = bag(message.result);
  const entry = method === undefined ? undefined : methods.get(method);
  const who = speaker(entry?.from, sent, true);
  if (result.resultType === 'input_required') {
    const asked = questions(result.inputRequests);
    const state = result.requestState === undefined ? '' : ' [with state to send back]';
    return {
      what: `${who} needs answers first${asked && `: ${asked}`}${state}`,
      section: locate(questionsAt, revision).section,
    };
  }
  if (entry?.kind === 'request' && typeof bag(result.task).taskId === 'string') {
    return { what: `${who} ${taskCreated(result)}`, section: locate(tasksAt, revision).section };
  }
  const type = result.resultType;
  const odd = type === undefined || type === 'complete' ? '' : ` [result type ${name(type)}]`;
  const said = spell(entry?.answers, result) ?? `answers request ${name(message.id)}`;
  const of = entry === undefined && method !== undefined ? ` (${name(method)})` : '';
  return {
    what: `${who} ${said}${of}${odd}`,
    section: locate(entry?.answered ?? entry?.where ?? resultsAt, revision).section,
  };
}

function explainError(
  message: MessageMembers,
  sent: boolean,
  revision: string | undefined,
  method?: string,
): Explanation {
  const { code, message: text, data } = bag(message.error);
  const entry = method === undefined ? undefined : methods.get(method);
  const known = codeOf(code, method);
  const means = typeof code === 'number' ? `${known?.means ?? rangeOf(code)} (${code})` : 'no code';
  const more = data === undefined ? '' : (known?.more?.(bag(data)) ?? '');
  const refused =
    method ?? (message.id === undefined || message.id === null ? 'a message' : `request ${name(message.id)}`);
  // The page's own section on errors, if it has one. Codes with their own section do not need it.
  const since = entry?.errors ?? '2024-11-05';
  const page = entry?.kind === 'request' ? locate(entry.where, revision) : undefined;
  const own =
    page && since !== '' && page.section >= since
      ? page.section.replace(/#.*/, '#error-handling')
      : undefined;
  // 2026-07-28 basic/index#error-codes assigns the codes from -32099 to -32000.
  const ranged = revision === '2026-07-28' && !known && typeof code === 'number' && code >= -32099 && code <= -32000;
  const { section, absent } = known?.where
    ? locate(known.where, revision)
    : { section: (!ranged && own) || locate(errorsAt, revision).section, absent: false };
  return {
    what:
      `${speaker(entry?.from, sent, true)} refuses ${name(refused)}: ${means}, ${quote(text, 80)}` +
      (more && `: ${more}`) + (absent ? ` [not in ${name(revision)}]` : ''),
    section,
  };
}

/**
 * Explains a wire message in one plain line, with its details and its section of the specification. Never throws, whatever the
 * message contains; says so if the message is not MCP, or not in the revision.
 *
 * @param message   one message as parsed; or the line itself, if it was not JSON
 * @param direction seen from this side
 * @param revision  the agreed one, if any; a revision that the message names takes precedence. Without either, the
 *                  newest that has the method.
 * @param asked     the method of the request with this id, which the message answers, if known
 */
export function explain(
  message: unknown,
  direction: 'sent' | 'received',
  revision?: string,
  asked?: (id: string | number) => string | undefined,
): Explanation {
  const sent = direction === 'sent';
  const known = revision !== undefined && revisions.includes(revision) ? revision : undefined;
  if (Array.isArray(message)) {
    const calls = message.filter((one) => 'method' in bag(one)).length;
    const { section, absent } = locate(batchesAt, known);
    const of = `${count(calls, 'call')}, ${count(message.length - calls, 'answer')}`;
    return { what: `${sideOf(sent)} sends a batch: ${of}${absent ? ` [not in ${known}]` : ''}`, section };
  }
  const all = bag(message);
  if (all.jsonrpc === '2.0') {
    // Since 2026-07-28 every result has a type.
    const typed = bag(all.result).resultType === undefined ? undefined : '2026-07-28';
    const at = claimed(bag(all.params), bag(all.result)) ?? known ?? typed;
    if ('method' in all) return explainCall(all, sent, at);
    const method = typeof all.id === 'string' || typeof all.id === 'number' ? asked?.(all.id) : undefined;
    if ('error' in all) return explainError(all, sent, at, method);
    if ('result' in all) return explainResult(all, sent, at, method);
  }
  const what =
    typeof message === 'string' ? 'a line that is not JSON' : 'JSON that is not a JSON-RPC message';
  return { what: `${sideOf(sent)} sends ${what}`, section: locate(messagesAt, known).section };
}
