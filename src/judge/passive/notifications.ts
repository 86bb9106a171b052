import { isObject } from '../../jsonrpc/internal-exports.ts';
import { isLoggingLevel, logLevelKey, relatedTask, subscriptionKey } from '../../protocol/internal-exports.ts';
import type { Arrival, SentToServer, JudgedConversation } from '../conversation.ts';
import { anything, number, object, text } from './shapes.ts';

// Checks of a server's notifications and questions.

const metaOf = (params: unknown): Readonly<Record<string, unknown>> => (isObject(params) && isObject(params['_meta']) ? params['_meta'] : {});

/** The request that gave a progress token. */
const askedWith = ({ asked }: JudgedConversation, token: unknown): SentToServer | undefined => asked.findLast(({ params }) => metaOf(params)['progressToken'] === token);

export function judgeNotification(conversation: JudgedConversation, arrival: Arrival): void {
  const { json } = arrival;
  if (!isObject(json) || typeof json['method'] !== 'string' || !json['method'].startsWith('notifications/')) return;
  const params = isObject(json['params']) ? json['params'] : {};
  early(conversation, arrival, json['method']);
  switch (json['method']) {
    case 'notifications/progress': return judgeProgress(conversation, arrival, params);
    case 'notifications/message': return judgeLog(conversation, arrival, params);
    case 'notifications/cancelled': return judgeCancelled(conversation, arrival, params);
    case 'notifications/elicitation/complete': return judgeComplete(conversation, arrival, params);
    case 'notifications/tools/list_changed': return judgeChange(conversation, arrival, params, 'tools', 'listChanged', 'toolsListChanged');
    case 'notifications/prompts/list_changed': return judgeChange(conversation, arrival, params, 'prompts', 'listChanged', 'promptsListChanged');
    case 'notifications/resources/list_changed': return judgeChange(conversation, arrival, params, 'resources', 'listChanged', 'resourcesListChanged');
    case 'notifications/resources/updated': return judgeChange(conversation, arrival, params, 'resources', 'subscribe', 'resourceSubscriptions');
    default:
  }
}

/** 2025-11-25 basic/lifecycle#initialization: before `initialized` a server sends only pings and logs. */
function early(conversation: JudgedConversation, arrival: Arrival, method: string): void {
  if (conversation.modern) return;
  // Over HTTP, different streams have no fixed order.
  if (conversation.kind === 'http' || saidInitialized(conversation)) return;
  conversation.check('lifecycle-12', method === 'notifications/message', 'nothing but pings and logs before notifications/initialized', arrival);
}

const saidInitialized = ({ entries }: JudgedConversation): boolean =>
  entries.some((entry) => entry.direction === 'sent' && entry.kind !== 'http' && entry.kind !== 'event' && entry.text.includes('"notifications/initialized"'));

function judgeProgress(conversation: JudgedConversation, arrival: Arrival, params: Readonly<Record<string, unknown>>): void {
  const { progressToken: token, progress } = params;
  const fault = object({ progressToken: anything, progress: number, 'total?': number, 'message?': text })(params, 'params');
  conversation.check('form-progress', fault === undefined, fault ?? '', arrival);
  const asked = askedWith(conversation, token);
  const fits = typeof token === 'string' || Number.isSafeInteger(token);
  // The judge itself sent a wrong token; whether the server may use it can be disputed.
  if (asked && !fits) conversation.dispute('progress-8', 'no progress for a token that is neither a string nor an integer', arrival);
  else conversation.check('progress-8', fits, 'a token that is a string or an integer', arrival);
  conversation.check('progress-3', asked !== undefined, 'a token that a request gave', arrival);
  if (!asked) return;
  // 2025-11-25 basic/utilities/tasks: the token of a request that became a task is valid until the task ends.
  if (asked.params['task'] === undefined) conversation.check(['progress-2', 'progress-7'], !asked.done, 'no progress after the response to its request', arrival);
  const before = conversation.arrivals.slice(0, -1).findLast((one) => one !== arrival && isObject(one.json) && one.json['method'] === 'notifications/progress'
    && isObject(one.json['params']) && one.json['params']['progressToken'] === token && one.at > asked.at);
  const last = before && isObject(before.json) && isObject(before.json['params']) ? before.json['params']['progress'] : undefined;
  if (typeof last === 'number' && typeof progress === 'number') conversation.check('progress-11', progress > last, `a progress above ${last}, the one before`, arrival);
}

function judgeLog(conversation: JudgedConversation, arrival: Arrival, params: Readonly<Record<string, unknown>>): void {
  const fault = object({ level: text, data: anything, 'logger?': text })(params, 'params') ?? (isLoggingLevel(params['level']) ? undefined : 'params.level is not a log level');
  conversation.check('form-message', fault === undefined, fault ?? '', arrival);
  if (conversation.agreed || conversation.modern && Object.keys(conversation.offered).length > 0) conversation.check('logging-2', conversation.offered['logging'] !== undefined, 'the logging capability, before anything is logged to the client', arrival);
  if (!conversation.modern) return;
  // 2026-07-28 server/utilities/logging: a server logs only about requests that name a level.
  const open = conversation.asked.filter(({ done, exchange }) => (conversation.kind === 'http' ? exchange === arrival.exchange : !done));
  conversation.check('logging-10', open.some(({ params: one }) => metaOf(one)[logLevelKey] !== undefined), 'logs only for requests that name a level', arrival);
  conversation.check('logging-11', metaOf(params)[subscriptionKey] === undefined && !open.every(({ method }) => method === 'subscriptions/listen'), 'a log on the stream of its request', arrival);
}

/** 2025-11-25 client/elicitation#completion-notifications-for-url-mode-elicitation. */
function judgeComplete(conversation: JudgedConversation, arrival: Arrival, { elicitationId: id }: Readonly<Record<string, unknown>>): void {
  conversation.check('elicitation-6', typeof id === 'string', 'the elicitationId of the elicitation that is complete', arrival);
  if (typeof id !== 'string') return;
  const named = conversation.arrivals.some((one) => one !== arrival && one.text.includes(`"elicitationId":${JSON.stringify(id)}`));
  conversation.check('elicitation-7', named, 'a completion of an elicitation that this client was asked', arrival);
}

function judgeCancelled(conversation: JudgedConversation, arrival: Arrival, params: Readonly<Record<string, unknown>>): void {
  const { requestId: id } = params;
  // 2025-11-25 schema#CancelledNotificationParams: only the cancellation of a task may omit the id, and tasks are cancelled otherwise.
  const named = typeof id === 'string' || Number.isSafeInteger(id);
  if (named || metaOf(params)[relatedTask] === undefined) conversation.check('schema-2', named, 'a cancellation that names its request', arrival);
  if (!conversation.modern) {
    const own = conversation.arrivals.find((one) => isObject(one.json) && typeof one.json['method'] === 'string' && one.json['id'] === id && id !== undefined);
    if (id !== undefined) conversation.check(['cancellation-4', 'cancellation-5'], own !== undefined, 'the id of a request that the server sent', arrival);
  } else {
    const asked = conversation.asked.findLast((one) => one.id === id);
    conversation.check('cancellation-3', asked?.method === 'subscriptions/listen', 'a cancellation of a subscription only', arrival);
  }
}

function judgeChange(conversation: JudgedConversation, arrival: Arrival, params: Readonly<Record<string, unknown>>, capability: string, setting: string, filter: string): void {
  if (conversation.modern) {
    const id = metaOf(params)[subscriptionKey];
    conversation.check('base-15', id !== undefined, `${subscriptionKey} in the _meta of each message of a subscription`, arrival);
    const asked = conversation.asked.findLast((one) => one.method === 'subscriptions/listen' && (id === undefined || String(one.id) === String(id)));
    const wanted = asked && isObject(asked.params['notifications']) ? asked.params['notifications'] : {};
    conversation.check('subscriptions-5', Boolean(wanted[filter]), `only what a subscription requested, and ${filter} was not requested`, arrival);
    return;
  }
  if (!conversation.agreed) return;
  const offered = conversation.offered[capability];
  conversation.check('lifecycle-13', isObject(offered) && offered[setting] === true, `the capability ${capability}.${setting}`, arrival);
}

/** The client capability that each question needs. */
const needed: Readonly<Record<string, string>> = { 'sampling/createMessage': 'sampling', 'elicitation/create': 'elicitation', 'roots/list': 'roots' };

/** Judges a question: a request of a legacy server, or one in an `input_required` result. */
export function judgeQuestion(conversation: JudgedConversation, arrival: Arrival, method: string, params: Readonly<Record<string, unknown>>): void {
  const { capabilities, modern } = conversation;
  const capability = Object.hasOwn(needed, method) ? needed[method] : undefined;
  if (capability === undefined) return;
  const declared = capabilities[capability];
  const rules = modern ? ['base-5', 'mrtr-15'] : ['lifecycle-13'];
  conversation.check(rules, declared !== undefined, `no ${method}: the client did not declare ${capability}`, arrival);
  if (method === 'roots/list') conversation.check('roots-11', declared !== undefined, 'roots asked only of clients that have them', arrival);
  if (method === 'elicitation/create') judgeElicitation(conversation, arrival, params);
  if (method === 'sampling/createMessage') judgeSampling(conversation, arrival, params);
}

function judgeElicitation(conversation: JudgedConversation, arrival: Arrival, params: Readonly<Record<string, unknown>>): void {
  const { mode = 'form', message, requestedSchema, url } = params;
  const { elicitation } = conversation.capabilities;
  const declared = isObject(elicitation) ? elicitation : undefined;
  const modes = declared === undefined ? [] : Object.keys(declared).length === 0 ? ['form'] : Object.keys(declared);
  conversation.check('elicitation-4', modes.includes(String(mode)), `an elicitation in a mode that the client has: ${modes.join(', ') || 'none'}`, arrival);
  if (mode === 'url') {
    const { elicitationId } = params;
    if (conversation.revision.place === 3 && typeof elicitationId === 'string') {
      const times = conversation.arrivals.filter((one) => isObject(one.json) && one.json['method'] === 'elicitation/create' && isObject(one.json['params']) && one.json['params']['elicitationId'] === elicitationId);
      conversation.check('schema-5', times.length <= 1, 'an elicitationId that no other elicitation has', arrival);
    }
    const valid = typeof url === 'string' && URL.canParse(url);
    conversation.check(['elicitation-9', 'elicitation-56'], typeof message === 'string' && typeof url === 'string', 'an elicitation with a message and a URL', arrival);
    conversation.check('elicitation-55', valid, 'a valid URL', arrival);
    return;
  }
  const formed = typeof message === 'string' && isObject(requestedSchema);
  conversation.check(['elicitation-9', 'elicitation-14'], formed && mode === 'form', 'an elicitation with a message and a requestedSchema', arrival);
  const fields = isObject(requestedSchema) && isObject(requestedSchema['properties']) ? Object.entries(requestedSchema['properties']) : [];
  const secret = fields.find(([name, field]) => isSecret(name) || isObject(field) && (isSecret(field['title']) || field['format'] === 'password'));
  conversation.check(['elicitation-16', 'elicitation-60'], secret === undefined, `no field for a secret in a form, and ${JSON.stringify(secret?.[0])} is one`, arrival);
}

/** Names that only secrets have. */
const secrets: ReadonlySet<string> = new Set(['password', 'passwd', 'passphrase', 'apikey', 'secretkey', 'clientsecret', 'accesstoken', 'refreshtoken', 'privatekey', 'creditcardnumber', 'cardnumber', 'cvv', 'cvc']);
const isSecret = (name: unknown): boolean => typeof name === 'string' && secrets.has(name.replace(/[\s_-]/g, '').toLowerCase());

function judgeSampling(conversation: JudgedConversation, arrival: Arrival, params: Readonly<Record<string, unknown>>): void {
  const { sampling } = conversation.capabilities;
  const declared = isObject(sampling) ? sampling : {};
  const { messages, tools, toolChoice, includeContext } = params;
  const form = (Array.isArray(messages) ? messages : [undefined]).find((one) => !isObject(one) || typeof one['role'] !== 'string' || one['content'] === undefined);
  conversation.check('sampling-9', Array.isArray(messages) && form === undefined, 'sampling messages with a role and content', arrival);
  judgeToolUses(conversation, arrival, Array.isArray(messages) ? messages.filter(isObject) : []);
  conversation.check('sampling-22', (tools === undefined && toolChoice === undefined) || declared['tools'] !== undefined, 'no tools for sampling: the client did not declare them', arrival);
  if (typeof includeContext === 'string') conversation.check('sampling-4', includeContext === 'none' || declared['context'] !== undefined, 'no includeContext: the client did not declare sampling.context', arrival);
}

const blocks = ({ content }: Readonly<Record<string, unknown>>, type: string): Record<string, unknown>[] =>
  (Array.isArray(content) ? content : [content]).filter(isObject).filter((one) => one['type'] === type);

/** 2025-11-25 client/sampling#tool-use-and-result-balance. */
function judgeToolUses(conversation: JudgedConversation, arrival: Arrival, messages: readonly Record<string, unknown>[]): void {
  for (const [at, message] of messages.entries()) {
    // 2025-11-25 schema#ToolResultContent: the id is that of an earlier tool use.
    const earlier = messages.slice(0, at).flatMap((one) => blocks(one, 'tool_use')).map(({ id }) => id);
    for (const { toolUseId } of blocks(message, 'tool_result')) conversation.check('schema-14', typeof toolUseId === 'string' && earlier.includes(toolUseId), 'the toolUseId of an earlier tool use in a tool result', arrival);
    const uses = blocks(message, 'tool_use').map(({ id }) => id);
    if (message['role'] !== 'assistant' || uses.length === 0) continue;
    const next = messages[at + 1];
    const results = next ? blocks(next, 'tool_result').map(({ toolUseId }) => toolUseId) : [];
    const others = next && (Array.isArray(next['content']) ? next['content'] : [next['content']]).length !== results.length;
    conversation.check('sampling-18', next?.['role'] === 'user' && !others && uses.length === results.length && uses.every((id) => results.includes(id)), 'a message of the user with a result for each tool use, and nothing else', arrival);
  }
}
