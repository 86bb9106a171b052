import type { Bag } from '../../jsonrpc/index.ts';
import { randomUUID } from 'node:crypto';
import { RpcError } from '../../client/index.ts';
import { isObject } from '../../jsonrpc/internal-exports.ts';
import { completionsCapability, isLoggingLevel, resultType } from '../../protocol/internal-exports.ts';
import type { Form } from '../../protocol/internal-exports.ts';
import type {
  CallToolResult, CreateMessageRequestParams, Implementation, ServerCapabilities, Tool,
} from '../../protocol/index.ts';
import type { MethodHandler, Context, Feature, FeatureHost, LegacyRequester } from '../../server/index.ts';
import { adaptContent, adaptListed, adaptTool, adaptToolResult, cacheFields, onClose, watchedResources } from '../../server/internal-exports.ts';
import type { Backend } from './backend.ts';
import type { Backends } from './backends.ts';
import type { BridgedCall, BridgedQuestion, CallStep } from './bridged-call.ts';
import { version } from '../../judge/version.ts';

/** The exchange of a request. The server has the feature `asking()`, so the exchange is also a `Context`. */
type RelayedExchange = Parameters<MethodHandler>[1];

/** The list methods, and the member of their results that holds the items. */
const lists = {
  'tools/list': 'tools', 'prompts/list': 'prompts', 'resources/list': 'resources', 'resources/templates/list': 'resourceTemplates',
} as const;

export interface BridgeRelayOptions {
  readonly backends: Backends;
  readonly capabilities: ServerCapabilities;
  readonly awayMs: number;
}

/** Implements every feature of a server by passing each request to the principal's backend. */
export function relay({ backends, capabilities, awayMs }: BridgeRelayOptions): Feature<Context> & { changed(list: 'tools' | 'resources' | 'prompts'): void } {
  let host: FeatureHost<Context> | undefined;
  /** Schemas by tool name, from the lists that passed. They say which arguments HTTP mirrors in headers. */
  const schemas = new Map<string, Tool['inputSchema']>();
  const sessions = new WeakMap<object, string>();
  let counted = 0;

  function principalOf({ auth, requester, revision }: Pick<RelayedExchange, 'auth' | 'requester' | 'revision'>): string {
    if (auth) return `principal ${auth.principal}`;
    // A legacy connection is one principal; all modern requests without credentials are one principal together.
    if (revision.era === 'modern') return 'anonymous';
    let session = sessions.get(requester);
    if (session === undefined) {
      const name = session = `session ${(counted += 1)}`;
      sessions.set(requester, name);
      onClose(requester as LegacyRequester, () => backends.leave(name));
    }
    return session;
  }

  function backendOf(exchange: RelayedExchange): Backend {
    const info: Implementation = exchange.client ?? { name: 'barewire bridge', version };
    return backends.of({ principal: principalOf(exchange), info, capabilities: exchange.capabilities });
  }

  const guarded = (exchange: RelayedExchange, run: () => Promise<object>): object | Promise<object> =>
    host?.guard<object>(exchange, run, (value) => value) ?? run();

  function listed(method: keyof typeof lists): MethodHandler {
    return (params, exchange) => guarded(exchange, async () => {
      const { cursor } = params;
      const result = await backendOf(exchange).request(method, cursor === undefined ? {} : { cursor }, exchange.signal);
      const member = lists[method];
      const items = Array.isArray(result[member]) ? result[member] as object[] : [];
      if (member === 'tools') for (const { name, inputSchema } of items as Tool[]) schemas.set(name, inputSchema);
      return {
        ...plain(result, exchange),
        [member]: items.map((item) => (member === 'tools' ? adaptTool(item as Tool, exchange.revision) : adaptListed(item, exchange.revision))),
      };
    });
  }

  /** Removes the result fields of the backend's revision, and adds those that the client's revision requires. */
  function plain(result: Bag, { revision }: RelayedExchange, cacheable: boolean = true): Bag {
    const { resultType: _type, ttlMs, cacheScope, ...rest } = result;
    if (!resultType(revision) || !cacheable) return rest;
    // Not `public` by default: another principal's backend may give another answer.
    return { ...rest, ...cacheFields(typeof ttlMs === 'number' ? { ttlMs, scope: cacheScope === 'public' ? 'public' : 'private' } : undefined) };
  }

  function called(method: string): MethodHandler {
    return (params, exchange) => guarded(exchange, () => carry(method, params, exchange as RelayedExchange & Context));
  }

  async function carry(method: string, params: Bag, exchange: RelayedExchange & Context): Promise<object> {
    const backend = backendOf(exchange);
    let fresh = false;
    const id = await exchange.once('bridge', () => {
      fresh = true;
      return randomUUID();
    });
    const { _meta, ...own } = params;
    let call = backend.calls.get(id);
    // Never begin the same call twice: its effects may not be repeatable.
    if (!call && !fresh) throw new RpcError(-32603, 'the call that this answer belongs to is over');
    call ??= backend.begin(id, method, own, awayMs);
    const step = await follow(backend, call, exchange, params['inputResponses']);
    backend.delivered(id);
    if (step.kind === 'error') throw step.error;
    if (step.kind === 'question') throw new RpcError(-32603, 'the call has no end');
    const { result } = step;
    if (method === 'tools/call') return adaptToolResult(plain(result, exchange, false) as unknown as CallToolResult, exchange.revision);
    if (method === 'prompts/get' && Array.isArray(result['messages'])) {
      const messages = (result['messages'] as { role: string; content: Parameters<typeof adaptContent>[0] }[])
        .map((message) => ({ ...message, content: adaptContent(message.content, exchange.revision) }));
      return { ...plain(result, exchange, false), messages };
    }
    return plain(result, exchange, method === 'resources/read');
  }

  /** Passes a call's questions, progress and logs to the client until it ends. `brought`: answers that the client came with. */
  async function follow(backend: Backend, call: BridgedCall, exchange: RelayedExchange & Context, brought: unknown): Promise<CallStep> {
    const out = new Set<BridgedQuestion>();
    let [done, left] = [false, false];
    call.takeUp({
      progress: (progress, total, message) => exchange.progress(progress, total, message),
      // Drop messages with a level that the specification does not have.
      log: (level, data, logger) => {
        if (isLoggingLevel(level)) exchange.log(level, data, logger);
      },
    });
    exchange.signal.addEventListener('abort', () => {
      if (done) return;
      // A modern client leaves with each question and returns. Any other abort is final.
      const { reason } = exchange.signal as { readonly reason: unknown };
      if (!(reason instanceof Error) || reason.name !== 'LeftBehind') return call.cancel('the client cancelled it, or its connection ended');
      left = true;
      for (const question of out) question.away = true;
      call.leave(awayMs);
    }, { once: true });
    for (let at = 0; ; at++) {
      const step = await call.next(at);
      // The client left. The exchange of its next request continues, and this one must never settle.
      if (left) return new Promise(() => {});
      if (step.kind !== 'question') {
        done = true;
        return step;
      }
      const { question } = step;
      const key = `question ${at}`;
      const answered = isObject(brought) && Object.hasOwn(brought, key);
      // An ended call asks no more questions, but takes an answer that the client brought: the question may be from another call.
      if (question.settled || (call.over && !answered)) {
        if (question.away && !question.settled) backend.put(question);
        continue;
      }
      out.add(question);
      const put = ask(question, key, exchange).then((value) => question.answer(value), (thrown: unknown) => {
        if (!call.over) question.fail(thrown);
      });
      // The server may withdraw the question and go on. An answer that the client brought is available at once.
      await (answered ? put : Promise.race([put, call.ended]));
      out.delete(question);
    }
  }

  const watched = watchedResources({
    check(uri, exchange) {
      // A backend has to run, to report changes of the resource, even if the client sends it no other request.
      backendOf(exchange);
      backends.watch(principalOf(exchange), uri);
    },
  });

  return {
    filters: { resourceSubscriptions: watched.agree },
    resourceUpdated(uri) {
      watched.updated(uri, host);
    },
    methods: ({ era }) => ({
      ...era === 'legacy' && { 'resources/subscribe': watched.subscribe, 'resources/unsubscribe': watched.unsubscribe },
      ...Object.fromEntries(Object.keys(lists).map((method) => [method, listed(method as keyof typeof lists)])),
      ...Object.fromEntries(['tools/call', 'prompts/get', 'resources/read'].map((method) => [method, called(method)])),
      'completion/complete': ({ _meta, ...params }, exchange) => guarded(exchange, async () =>
        plain(await backendOf(exchange).request('completion/complete', params, exchange.signal), exchange, false)),
    }),
    capabilities(revision) {
      const { tools, prompts, resources, completions } = capabilities;
      return { ...tools && { tools }, ...prompts && { prompts }, ...resources && { resources }, ...completions && completionsCapability(revision) && { completions } };
    },
    toolInput: (name) => schemas.get(name),
    attach(to) {
      host = to;
    },
    changed: (list) => host?.changed(list),
  };
}

/** Sends a question of the server behind the bridge to the client in front. */
async function ask({ method, params }: BridgedQuestion, key: string, ctx: Context): Promise<unknown> {
  if (method === 'roots/list') return ctx.roots({ key });
  if (method === 'sampling/createMessage') return ctx.sample(params as unknown as CreateMessageRequestParams, { key });
  const message = String(params['message']);
  if (params['mode'] !== 'url') return ctx.elicit(message, params['requestedSchema'] as Form, { key });
  const { elicitationId } = params;
  return ctx.elicitUrl(message, String(params['url']), { key, ...typeof elicitationId === 'string' && { elicitationId } });
}
