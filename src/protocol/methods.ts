import type { Revision } from './revisions.ts';

/** What the protocol says of one method. */
export interface Method {
  /** Who sends it. Default: the client. */
  readonly from?: 'server' | 'both';
  /** The revision that brought it. Default: the first. */
  readonly since?: string;
  /** The last revision that has it. Default: the newest. */
  readonly until?: string;
  /**
   * The capability that it needs: the server's for a request of the client's and a notification of the
   * server's, the client's for a request of the server's. Default: none.
   */
  readonly needs?: string;
  /** Since 2026-07-28: its result may be `input_required`. 2026-07-28 basic/patterns/mrtr#supported-requests. */
  readonly asks?: true;
  /**
   * The parameter that `Mcp-Name` mirrors.
   * 2026-07-28 basic/transports/streamable-http#standard-request-headers.
   */
  readonly named?: string;
  /** The member of its result that holds the items of a list, in pages. */
  readonly list?: string;
  /** Its result says how long it may be kept. 2026-07-28 server/utilities/caching#cacheable-results. */
  readonly cacheable?: true;
  /** The key of `subscriptions/listen` that asks for this notification. */
  readonly filter?: string;
}

const modern = '2026-07-28';
const lastLegacy = '2025-11-25';

/**
 * Every method of every revision, and of the extension for tasks: a row each, whose key is its name. What is
 * called `notifications/…` is a notification; the others are requests. Look rows up with `methodRow`.
 * Source: `ClientRequest`, `ServerNotification` and their like in the schema.ts of each revision.
 */
export const methods: Readonly<Record<string, Method>> = {
  initialize: { until: lastLegacy },
  'notifications/initialized': { until: lastLegacy },
  ping: { from: 'both', until: lastLegacy },
  'server/discover': { since: modern, cacheable: true },
  'notifications/cancelled': { from: 'both' },
  'notifications/progress': { from: 'both' },
  'tools/list': { needs: 'tools', list: 'tools', cacheable: true },
  'tools/call': { needs: 'tools', asks: true, named: 'name' },
  'notifications/tools/list_changed': { from: 'server', needs: 'tools', filter: 'toolsListChanged' },
  'resources/list': { needs: 'resources', list: 'resources', cacheable: true },
  'resources/templates/list': { needs: 'resources', list: 'resourceTemplates', cacheable: true },
  'resources/read': { needs: 'resources', asks: true, named: 'uri', cacheable: true },
  'resources/subscribe': { until: lastLegacy, needs: 'resources.subscribe' },
  'resources/unsubscribe': { until: lastLegacy, needs: 'resources.subscribe' },
  'notifications/resources/list_changed': { from: 'server', needs: 'resources', filter: 'resourcesListChanged' },
  'notifications/resources/updated': { from: 'server', needs: 'resources', filter: 'resourceSubscriptions' },
  'prompts/list': { needs: 'prompts', list: 'prompts', cacheable: true },
  'prompts/get': { needs: 'prompts', asks: true, named: 'name' },
  'notifications/prompts/list_changed': { from: 'server', needs: 'prompts', filter: 'promptsListChanged' },
  'completion/complete': { needs: 'completions' },
  'logging/setLevel': { until: lastLegacy, needs: 'logging' },
  'notifications/message': { from: 'server', needs: 'logging' },
  'subscriptions/listen': { since: modern },
  'notifications/subscriptions/acknowledged': { from: 'server', since: modern },
  // From 2026-07-28 on the three requests of the server's travel in results, as `inputRequests`.
  'sampling/createMessage': { from: 'server', needs: 'sampling' },
  'elicitation/create': { from: 'server', since: '2025-06-18', needs: 'elicitation' },
  'notifications/elicitation/complete': { from: 'server', since: lastLegacy, until: lastLegacy },
  'roots/list': { from: 'server', needs: 'roots' },
  'notifications/roots/list_changed': { until: lastLegacy },
  // Of 2025-11-25; from 2026-07-28 on of the extension `io.modelcontextprotocol/tasks`.
  'tasks/get': { from: 'both', since: lastLegacy, named: 'taskId' },
  'tasks/result': { from: 'both', since: lastLegacy, until: lastLegacy },
  'tasks/update': { since: modern, named: 'taskId' },
  'tasks/cancel': { from: 'both', since: lastLegacy, named: 'taskId' },
  'tasks/list': { from: 'both', since: lastLegacy, until: lastLegacy, list: 'tasks' },
  'notifications/tasks/status': { from: 'both', since: lastLegacy, until: lastLegacy },
};

const unknown: Method = {};

/** The row of a method; one that says nothing where the protocol has no such method. */
export function methodRow(name: unknown): Method {
  return typeof name === 'string' && Object.hasOwn(methods, name) ? methods[name] as Method : unknown;
}

/** Whether a revision has this method. */
export function hasMethod({ version }: Revision, name: string): boolean {
  if (!Object.hasOwn(methods, name)) return false;
  // Versions are dates: their text has their order.
  const { since = '', until = version } = methodRow(name);
  return since <= version && version <= until;
}
