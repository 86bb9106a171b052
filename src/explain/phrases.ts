import { hasMethod, methodRow } from '../protocol/internal-exports.ts';
import { revisions as rows } from '../protocol/index.ts';
import {
  bag,
  blocks,
  capabilities,
  count,
  items,
  json,
  name,
  pairs,
  quote,
  size,
  some,
  when,
  who,
} from './words.ts';
import type { MessageMembers } from './words.ts';

// The meaning of every method of every revision, as data: where it is specified, and its description in words.
// protocol/methods.ts says which side sends it, and in which revisions.

/** The revisions, oldest first. */
export const revisions: readonly string[] = rows.map(({ version }) => version).reverse();

/** Where something is specified: `page#heading` from the named revision on, until the next one named. `''`: it was removed. */
export type Where = Readonly<Record<string, string>>;

/** The words for one method. */
interface Phrase {
  readonly where: Where;
  /** The section of certain messages of this method. Undefined: `where` applies. */
  readonly special?: (params: MessageMembers) => Where | undefined;
  /** The action of the sender: a phrase that follows `The client`. */
  readonly says: string | ((params: MessageMembers) => string);
  /** The action of the other side in its response. Only for requests. */
  readonly answers?: string | ((result: MessageMembers) => string);
  /** Where the response is specified, if elsewhere. */
  readonly answered?: Where;
  /** The first revision whose page has a section on errors; `''`: none has. Default: all have. */
  readonly errors?: string;
}

/** One method: its words, its sender, and its kind. */
export interface WireMethod extends Phrase {
  readonly from: 'client' | 'server' | 'both';
  readonly kind: 'request' | 'notification';
}

/** The words for a result with a list in the member `member`. */
function list(member: string, noun: string, by = 'name'): (result: MessageMembers) => string {
  return (result) => {
    const all = items(result[member]);
    const names = all.slice(0, 7).map((item) => bag(item)[by]);
    const shown = some([...names, ...all.slice(7)]);
    const more = result.nextCursor === undefined ? '' : '; more on the next page';
    return `lists ${count(all.length, noun)}${shown && `: ${shown}`}${more}${freshness(result)}`;
  };
}

// 2026-07-28 server/utilities/caching#cacheable-model
function freshness({ ttlMs, cacheScope }: MessageMembers): string {
  if (typeof ttlMs !== 'number' || ttlMs <= 0) return '';
  const time = ttlMs < 1000 ? `${ttlMs} ms` : `${Math.round(ttlMs / 1000)} s`;
  return `; fresh for ${time}${when(cacheScope, `, ${name(cacheScope, 20)}`)}`;
}

function page(of: string): (params: MessageMembers) => string {
  return ({ cursor }) => `asks for ${cursor === undefined ? '' : 'the next page of '}${of}`;
}

function contents({ contents: all, ...rest }: MessageMembers): string {
  const shown = items(all)
    .slice(0, 2)
    .map((item) => {
      const { uri, text, blob } = bag(item);
      return `${name(uri)} ${blob === undefined ? quote(text, 40) : `(${size(blob)})`}`;
    });
  const more = items(all).length > 2 ? ` and ${items(all).length - 2} more` : '';
  return `gives ${shown.join(', ') || 'nothing'}${more}${freshness(rest)}`;
}

function progress({ progress: done, total, message, progressToken }: MessageMembers): string {
  const known = typeof done === 'number' && typeof total === 'number' && total > 0;
  const share = known ? ` (${Math.round((done / total) * 100)} %)` : '';
  const far = name(done) + when(total, ` of ${name(total)}`) + share;
  return `has come to ${far} with ${name(progressToken)}${when(message, `: ${quote(message)}`)}`;
}

function elicit({ mode, message, url, requestedSchema }: MessageMembers): string {
  if (mode === 'url') return `asks the user to visit ${name(url)}: ${quote(message)}`;
  const { properties, required } = bag(requestedSchema);
  const must = items(required);
  const asked = Object.keys(bag(properties)).map((key) => (must.includes(key) ? key : `${key}?`));
  return `asks the user ${quote(message)}${asked.length ? ` (${some(asked)})` : ''}`;
}

function elicited({ action, content }: MessageMembers): string {
  if (action === 'accept') return `returns what the user entered${pairs(content)}`;
  if (action === 'decline') return 'returns that the user declined';
  return action === 'cancel' ? 'returns that the user gave no answer' : `returns the action ${name(action)}`;
}

function task({ taskId, status, statusMessage }: MessageMembers): string {
  return `the task ${name(taskId)}: ${name(status)}${when(statusMessage, `, ${quote(statusMessage)}`)}`;
}

function told(notifications: unknown): string {
  const { resourceSubscriptions, ...rest } = bag(notifications);
  const kinds = Object.keys(rest).filter((key) => rest[key] === true);
  const uris = items(resourceSubscriptions);
  return some(uris.length ? [...kinds, ...uris] : kinds) || 'nothing';
}

/** The words for a task as a result. */
export function taskCreated(result: MessageMembers): string {
  return `makes it ${task(bag(result.task))}`;
}

/** The words for the questions of an InputRequiredResult. */
export function questions(inputRequests: unknown): string {
  const all = Object.entries(bag(inputRequests));
  const shown = all.slice(0, 3).map(([key, value]) => {
    const { method, params } = bag(value);
    const words = typeof method === 'string' ? methods.get(method)?.says : undefined;
    return `${name(key, 30)}: ${typeof words === 'function' ? words(bag(params)) : (words ?? name(method))}`;
  });
  return shown.join('; ') + (all.length > 3 ? ` and ${all.length - 3} more` : '');
}

/** A section that is the same in every revision that has the method. */
const at = (place: string): Where => ({ [OLDEST]: place });
const OLDEST = '2024-11-05';
const MODERN = '2026-07-28';

/** A request with short phrases. */
const asks = (place: string, says: Phrase['says'], answers: Phrase['answers'] = 'agrees'): Phrase =>
  ({ where: at(place), says, answers });

/** A notification. */
const tells = (place: string, says: Phrase['says']): Phrase => ({ where: at(place), says });

// Since 2026-07-28 tasks are an extension, which is specified elsewhere.
const tasksAt = (heading: string): Where =>
  ({ [OLDEST]: `basic/utilities/tasks#${heading}`, [MODERN]: '' });
const ofTask =
  (verb: string) =>
  (params: MessageMembers): string =>
    `${verb} the task ${name(params.taskId)}`;

const phrases: Readonly<Record<string, Phrase>> = {
  initialize: asks(
    'basic/lifecycle#initialization',
    (p) =>
      `says hello as ${who(p.clientInfo)}, proposes ${name(p.protocolVersion)}, ` +
      `can do: ${capabilities(p.capabilities)}`,
    (r) =>
      `is ${who(r.serverInfo)}, settles on ${name(r.protocolVersion)}, ` +
      `offers: ${capabilities(r.capabilities)}`,
  ),
  'notifications/initialized': {
    where: at('basic/lifecycle#initialization'),
    says: 'is ready: the session begins',
  },
  'server/discover': {
    ...asks(
      'server/discover#request',
      'asks for the revisions and capabilities of the server',
      (r) =>
        `speaks ${some(items(r.supportedVersions))}, ` +
        `offers: ${capabilities(r.capabilities)}${freshness(r)}`,
    ),
    answered: at('server/discover#response'),
    errors: '',
  },
  ping: {
    where: at('basic/utilities/ping#message-format'),
    says: 'asks whether the other side is alive',
    answers: 'is alive',
  },
  'notifications/cancelled': {
    where: {
      [OLDEST]: 'basic/utilities/cancellation#cancellation-flow',
      [MODERN]: 'basic/patterns/cancellation#cancellation-flow',
    },
    says: (p) =>
      `no longer wants an answer to request ${name(p.requestId)}${when(p.reason, `: ${quote(p.reason)}`)}`,
  },
  'notifications/progress': {
    where: {
      [OLDEST]: 'basic/utilities/progress#progress-flow',
      [MODERN]: 'basic/patterns/progress#progress-flow',
    },
    says: progress,
  },
  'tools/list': asks('server/tools#listing-tools', page('the tools'), list('tools', 'tool')),
  'tools/call': asks(
    'server/tools#calling-tools',
    (p) => `calls the tool ${name(p.name)}${pairs(p.arguments)}`,
    (r) =>
      r.isError === true
        ? `reports that the tool failed: ${blocks(r.content)}`
        : `answers ${blocks(r.content)}` +
          when(r.structuredContent, `, structured: ${json(r.structuredContent, 40)}`),
  ),
  'notifications/tools/list_changed': tells(
    'server/tools#list-changed-notification',
    'says that its tools have changed',
  ),
  'resources/list': asks(
    'server/resources#listing-resources',
    page('the resources'),
    list('resources', 'resource', 'uri'),
  ),
  'resources/templates/list': asks(
    'server/resources#resource-templates',
    page('the resource templates'),
    list('resourceTemplates', 'resource template', 'uriTemplate'),
  ),
  'resources/read': asks(
    'server/resources#reading-resources',
    (p) => `reads ${name(p.uri)}`,
    contents,
  ),
  'resources/subscribe': asks(
    'server/resources#subscriptions',
    (p) => `wants to know when ${name(p.uri)} changes`,
  ),
  'resources/unsubscribe': asks(
    'server/resources#subscriptions',
    (p) => `no longer wants to know when ${name(p.uri)} changes`,
  ),
  'notifications/resources/list_changed': tells(
    'server/resources#list-changed-notification',
    'says that its resources have changed',
  ),
  'notifications/resources/updated': tells(
    'server/resources#subscriptions',
    (p) => `says that ${name(p.uri)} has changed`,
  ),
  'subscriptions/listen': {
    ...asks(
      'basic/patterns/subscriptions#opening-a-stream',
      (p) => `wants to be told of: ${told(p.notifications)}`,
      'ends the subscription normally',
    ),
    answered: at('basic/patterns/subscriptions#graceful-closure'),
    errors: '',
  },
  'notifications/subscriptions/acknowledged': tells(
    'basic/patterns/subscriptions#acknowledgment',
    (p) => `will tell of: ${told(p.notifications)}`,
  ),
  'prompts/list': asks(
    'server/prompts#listing-prompts',
    page('the prompts'),
    list('prompts', 'prompt'),
  ),
  'prompts/get': asks(
    'server/prompts#getting-a-prompt',
    (p) => `asks for the prompt ${name(p.name)}${pairs(p.arguments)}`,
    (r) => {
      const [first] = items(r.messages);
      const shown = first === undefined ? '' : `: ${blocks(bag(first).content)}`;
      return `gives ${count(items(r.messages).length, 'message')}${shown}`;
    },
  ),
  'notifications/prompts/list_changed': tells(
    'server/prompts#list-changed-notification',
    'says that its prompts have changed',
  ),
  'completion/complete': {
    ...asks(
      'server/utilities/completion#requesting-completions',
      ({ ref, argument }) =>
        `asks how ${quote(bag(argument).value, 30)} could go on, ` +
        `for ${name(bag(argument).name)} of ${name(bag(ref).name ?? bag(ref).uri)}`,
      ({ completion }) => {
        const { values, total, hasMore } = bag(completion);
        const of = total === undefined ? (hasMore === true ? ' of more' : '') : ` of ${name(total)}`;
        const shown = some(items(values));
        return `proposes ${count(items(values).length, 'value')}${of}${when(shown, `: ${shown}`)}`;
      },
    ),
    answered: at('server/utilities/completion#completion-results'),
    errors: '2025-03-26',
  },
  'logging/setLevel': asks(
    'server/utilities/logging#setting-log-level',
    (p) => `wants log messages from ${name(p.level)} upwards`,
  ),
  'notifications/message': tells(
    'server/utilities/logging#log-message-notifications',
    (p) =>
      `logs (${name(p.level)}${p.logger === undefined ? '' : `, ${name(p.logger)}`}): ${quote(p.data)}`,
  ),
  'sampling/createMessage': {
    where: at('client/sampling#creating-messages'),
    says: (p) => {
      const tools = items(p.tools).length ? ` and ${count(items(p.tools).length, 'tool')}` : '';
      const last = bag(items(p.messages).at(-1)).content;
      return (
        `asks the client's model, with ${count(items(p.messages).length, 'message')}${tools}, ` +
        `for at most ${name(p.maxTokens)} tokens: ${blocks(last)}`
      );
    },
    answers: (r) => `returns what ${name(r.model)} said (${name(r.stopReason)}): ${blocks(r.content)}`,
  },
  'elicitation/create': {
    where: {
      '2025-06-18': 'client/elicitation#creating-elicitation-requests',
      '2025-11-25': 'client/elicitation#form-mode-elicitation-requests',
    },
    special: (p) =>
      p.mode === 'url' ? { '2025-11-25': 'client/elicitation#url-mode-elicitation-requests' } : undefined,
    says: elicit,
    answers: elicited,
    answered: { '2025-06-18': 'client/elicitation#response-actions' },
    errors: '2025-11-25',
  },
  'notifications/elicitation/complete': tells(
    'client/elicitation#completion-notifications-for-url-mode-elicitation',
    (p) => `says that the user is done with the page of ${name(p.elicitationId)}`,
  ),
  'roots/list': {
    where: at('client/roots#listing-roots'),
    says: 'asks which roots it may work in',
    answers: list('roots', 'root', 'uri'),
  },
  'notifications/roots/list_changed': {
    where: at('client/roots#root-list-changes'),
    says: 'says that its roots have changed',
  },
  'tasks/get': {
    where: tasksAt('getting-tasks'),
    says: ofTask('asks about'),
    answers: (r) => `reports on ${task(r)}`,
  },
  'tasks/result': {
    where: tasksAt('retrieving-task-results'),
    says: ofTask('asks for the result of'),
    answers: (r) =>
      'content' in r
        ? `gives the result of the task: ${blocks(r.content)}`
        : 'gives the result of the task',
  },
  'tasks/list': {
    where: tasksAt('listing-tasks'),
    says: page('the tasks'),
    answers: list('tasks', 'task', 'taskId'),
  },
  'tasks/cancel': {
    where: tasksAt('cancelling-tasks'),
    says: ofTask('cancels'),
    answers: (r) => `reports on ${task(r)}`,
  },
  'notifications/tasks/status': {
    where: tasksAt('task-status-notification'),
    says: (p) => `reports on ${task(p)}`,
  },
};

/** The methods by name. A Map, so that a hostile name such as `__proto__` finds nothing. */
export const methods: ReadonlyMap<string, WireMethod> = new Map(
  Object.entries(phrases).map(([name, phrase]) => [name, wireMethod(name, phrase)]),
);

function wireMethod(name: string, phrase: Phrase): WireMethod {
  const { from = 'client' } = methodRow(name);
  const kind = name.startsWith('notifications/') ? 'notification' : 'request';
  const where = during(name, phrase.where);
  return { ...phrase, ...phrase.answered && { answered: during(name, phrase.answered) }, from, kind, where };
}

/** The sections of a method, only for the revisions that have it. */
function during(name: string, places: Where): Where {
  let place = '';
  return Object.fromEntries(rows.toReversed().map((revision) => {
    place = places[revision.version] ?? place;
    return [revision.version, hasMethod(revision, name) ? place : ''];
  }));
}
