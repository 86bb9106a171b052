import type { Revision } from './revisions.ts';

/** Which side sends a method, and in which revisions. The functions below have its other properties. */
export interface Method {
  /** The sender. Default: the client. */
  readonly from?: 'server' | 'both';
  /** The first revision that has it. Default: 2024-11-05. */
  readonly since?: string;
  /** The last revision that has it. Default: the newest. */
  readonly until?: string;
  /** The key of `subscriptions/listen` that asks for this notification. */
  readonly filter?: string;
}

const modern = '2026-07-28';
const lastLegacy = '2025-11-25';

/**
 * All methods of all revisions, and of the tasks extension, by name. Names that begin with `notifications/` are
 * notifications; the others are requests. Look rows up with `methodRow`. Source:
 * `ClientRequest`, `ServerNotification` and similar types in the schema.ts of each revision.
 */
export const methods: Readonly<Record<string, Method>> = {
  initialize: { until: lastLegacy },
  'notifications/initialized': { until: lastLegacy },
  ping: { from: 'both', until: lastLegacy },
  'server/discover': { since: modern },
  'notifications/cancelled': { from: 'both' },
  'notifications/progress': { from: 'both' },
  'tools/list': {},
  'tools/call': {},
  'notifications/tools/list_changed': { from: 'server', filter: 'toolsListChanged' },
  'resources/list': {},
  'resources/templates/list': {},
  'resources/read': {},
  'resources/subscribe': { until: lastLegacy },
  'resources/unsubscribe': { until: lastLegacy },
  'notifications/resources/list_changed': { from: 'server', filter: 'resourcesListChanged' },
  'notifications/resources/updated': { from: 'server', filter: 'resourceSubscriptions' },
  'prompts/list': {},
  'prompts/get': {},
  'notifications/prompts/list_changed': { from: 'server', filter: 'promptsListChanged' },
  'completion/complete': {},
  'logging/setLevel': { until: lastLegacy },
  'notifications/message': { from: 'server' },
  'subscriptions/listen': { since: modern },
  'notifications/subscriptions/acknowledged': { from: 'server', since: modern },
  // Since 2026-07-28 the server's three requests travel in results, as `inputRequests`.
  'sampling/createMessage': { from: 'server' },
  'elicitation/create': { from: 'server', since: '2025-06-18' },
  'notifications/elicitation/complete': { from: 'server', since: lastLegacy, until: lastLegacy },
  'roots/list': { from: 'server' },
  'notifications/roots/list_changed': { until: lastLegacy },
  // In 2025-11-25; since 2026-07-28 in the extension `io.modelcontextprotocol/tasks`.
  'tasks/get': { from: 'both', since: lastLegacy },
  'tasks/result': { from: 'both', since: lastLegacy, until: lastLegacy },
  'tasks/update': { since: modern },
  'tasks/cancel': { from: 'both', since: lastLegacy },
  'tasks/list': { from: 'both', since: lastLegacy, until: lastLegacy },
  'notifications/tasks/status': { from: 'both', since: lastLegacy, until: lastLegacy },
};

const unknown: Method = {};

/** The row of a method; an empty row if the protocol has no such method. */
export function methodRow(name: unknown): Method {
  return typeof name === 'string' && Object.hasOwn(methods, name) ? methods[name] as Method : unknown;
}

/** True if a revision has this method. */
export function hasMethod({ version }: Revision, name: string): boolean {
  if (!Object.hasOwn(methods, name)) return false;
  // Versions are dates: they sort as text.
  const { since = '', until = version } = methodRow(name);
  return since <= version && version <= until;
}

// Functions, and not columns of the table, so that a bundle has only those that it uses.

/** True if the result of a method may be `input_required`. 2026-07-28 basic/patterns/mrtr#supported-requests. */
export const mayAsk = (method: string): boolean =>
  method === 'tools/call' || method === 'resources/read' || method === 'prompts/get';

/** The server capability that a client's request needs; undefined if it needs none or does not exist. */
export function neededCapability(method: string): string | undefined {
  switch (method) {
    case 'tools/list':
    case 'tools/call': return 'tools';
    case 'resources/list':
    case 'resources/templates/list':
    case 'resources/read': return 'resources';
    case 'resources/subscribe':
    case 'resources/unsubscribe': return 'resources.subscribe';
    case 'prompts/list':
    case 'prompts/get': return 'prompts';
    case 'completion/complete': return 'completions';
    case 'logging/setLevel': return 'logging';
    default: return undefined;
  }
}

/** The requests with paginated results. */
export const listMethods: readonly string[] = ['tools/list', 'resources/list', 'resources/templates/list', 'prompts/list'];

/** True if the result of a method has `ttlMs` and `cacheScope`. 2026-07-28 server/utilities/caching#cacheable-results. */
export const hasCacheHints = (method: string): boolean =>
  method === 'server/discover' || method === 'resources/read' || listMethods.includes(method);
