import { context, metrics, propagation, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { Attributes, Context, MeterProvider, TextMapPropagator, TracerProvider } from '@opentelemetry/api';
import { checkOptions } from 'barewire/jsonrpc';
import { precedence, traceOf } from 'barewire/protocol';
import type { Observe, ObservedRequest } from 'barewire/protocol';

// Names of spans, attributes and metrics: open-telemetry/semantic-conventions-genai, docs/gen-ai/mcp.md at
// 0393513c908bf895e7b3ec480a2c1eb073c584af. Their status there is Development: they may change.

/** The options of `otel`. */
export interface OtelOptions {
  /** Default: the globally registered one. */
  readonly tracerProvider?: TracerProvider;
  /** Default: the globally registered one. */
  readonly meterProvider?: MeterProvider;
  /** Writes the context into `_meta`, and reads it from there. Default: the globally registered one. */
  readonly propagator?: TextMapPropagator;
  /**
   * Whether baggage is sent and read. It may contain data that the other side should not know: use true only for servers that the
   * user named. Default: false.
   */
  readonly baggage?: boolean;
  /** Whether spans contain the arguments and results of tools. Default: false. */
  readonly content?: boolean;
}

type Bag = Readonly<Record<string, unknown>>;

/** Maximum length of a text from the wire in a span or a metric. */
const maxText = 200;
const maxContent = 16_384;
/** Seconds. */
const boundaries = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300];
/** Methods of the core: a client may send any text, and a metric has one series for each value. */
const methods = new Set([
  'initialize', 'ping', 'server/discover', 'logging/setLevel', 'completion/complete', 'tools/list', 'tools/call', 'prompts/list', 'prompts/get',
  'resources/list', 'resources/read', 'resources/templates/list', 'resources/subscribe', 'resources/unsubscribe', 'subscriptions/listen',
  'elicitation/create', 'sampling/createMessage', 'roots/list', 'tasks/get', 'tasks/list', 'tasks/result', 'tasks/cancel', 'tasks/update',
]);

const carrier = {
  get: (from: Bag, key: string): string | undefined => {
    const value = Object.hasOwn(from, key) ? from[key] : undefined;
    return typeof value === 'string' ? value : undefined;
  },
  keys: (from: Bag): string[] => Object.keys(from),
};

/**
 * The `observe` of a server or a client: `new McpServer(info, { observe: otel() })`. A span begins at each request. A server's
 * span has the context of `_meta` as its parent, and a link to the active context, such as that of the HTTP request; without a
 * context in `_meta` the active one is the parent. A client's span puts its context into `_meta`. Handlers run in the context of
 * their span.
 *
 * Throws a TypeError for an unknown or malformed option.
 */
export function otel(options: OtelOptions = {}): Observe {
  checkOptions('otel: options', options, {
    tracerProvider: 'object', meterProvider: 'object', propagator: 'object', baggage: 'boolean', content: 'boolean',
  });
  const { propagator, baggage = false, content = false } = options;
  const tracer = (options.tracerProvider ?? trace).getTracer('barewire-otel');
  const meter = (options.meterProvider ?? metrics).getMeter('barewire-otel');
  const durations = {
    server: meter.createHistogram('mcp.server.operation.duration', { unit: 's', advice: { explicitBucketBoundaries: boundaries } }),
    client: meter.createHistogram('mcp.client.operation.duration', { unit: 's', advice: { explicitBucketBoundaries: boundaries } }),
  };

  /** The context in `_meta`, on top of the root; undefined: none. */
  const received = (params: Bag | undefined): Context | undefined => {
    const meta = params?.['_meta'];
    const from = typeof meta === 'object' && meta !== null ? meta as Bag : {};
    // The W3C fields are limited and checked here. A propagator of another format reads its own fields from `_meta`.
    const { traceparent: _parent, tracestate: _state, baggage: _baggage, ...others } = from;
    const bounded = Object.entries(others).filter(([, value]) => typeof value === 'string' && value.length <= maxText);
    const fields = { ...Object.fromEntries(bounded), ...traceOf(from, baggage) };
    const found = propagator ? propagator.extract(ROOT_CONTEXT, fields, carrier) : propagation.extract(ROOT_CONTEXT, fields, carrier);
    return found === ROOT_CONTEXT ? undefined : found;
  };

  return <R extends object>(request: ObservedRequest, next: (meta?: Bag) => R): R => {
    const { kind, method, params, id } = request;
    const active = context.active();
    const remote = kind === 'server' ? received(params) : undefined;
    const remoteSpan = remote && trace.getSpanContext(remote);
    const { parent = active, link } = precedence(remoteSpan && remote, trace.getSpanContext(active) && active);
    const linked = link && trace.getSpanContext(link);
    const attributes = attributesOf(request);
    const target = attributes['gen_ai.tool.name'] ?? attributes['gen_ai.prompt.name'];
    const span = tracer.startSpan(`${String(attributes['mcp.method.name'])}${target === undefined ? '' : ` ${String(target)}`}`, {
      kind: kind === 'server' ? SpanKind.SERVER : SpanKind.CLIENT,
      attributes: {
        ...attributes,
        ...id !== undefined && { 'jsonrpc.request.id': String(id).slice(0, maxText) },
        ...typeof params?.['uri'] === 'string' && { 'mcp.resource.uri': params['uri'].slice(0, maxText) },
        ...content && method === 'tools/call' && { 'gen_ai.tool.call.arguments': text(params?.['arguments']) },
      },
      links: linked ? [{ context: linked }] : [],
    }, parent);
    const luggage = remote && propagation.getBaggage(remote);
    const inside = trace.setSpan(luggage ? propagation.setBaggage(parent, luggage) : parent, span);
    const begun = performance.now();
    const end = (error: string | undefined): void => {
      const outcome = error === undefined ? {} : { 'error.type': error };
      span.setAttributes(outcome);
      if (error !== undefined && Number.isInteger(Number(error))) span.setAttribute('rpc.response.status_code', error);
      span.end();
      const counted: Attributes = { ...attributes, ...outcome };
      // Otherwise each non-existent name from a client would create a new series.
      if (error !== undefined && error !== 'tool_error') {
        delete counted['gen_ai.tool.name'];
        delete counted['gen_ai.prompt.name'];
      }
      durations[kind].record((performance.now() - begun) / 1000, counted);
    };
    const ended = <T extends object>(result: T): T => {
      const failed = 'isError' in result && result.isError === true;
      if (failed) span.setStatus({ code: SpanStatusCode.ERROR });
      else if (content && method === 'tools/call') span.setAttribute('gen_ai.tool.call.result', text(result));
      end(failed ? 'tool_error' : undefined);
      return result;
    };
    const failed = (thrown: unknown): never => {
      const { code, name, message } = thrown instanceof Error ? thrown as Error & { code?: unknown } : { code: undefined, name: 'error', message: '' };
      span.setStatus({ code: SpanStatusCode.ERROR, message: message.slice(0, maxText) });
      end(typeof code === 'number' || typeof code === 'string' ? String(code).slice(0, maxText) : name);
      throw thrown;
    };
    try {
      const result = context.with(inside, () => next(kind === 'client' ? sent(inside) : undefined));
      return (result instanceof Promise ? result.then(ended, failed) : ended(result)) as R;
    } catch (thrown) {
      return failed(thrown);
    }
  };

  /** The keys of `_meta` with the context of a span. */
  function sent(inside: Context): Record<string, unknown> {
    const fields: Record<string, unknown> = {};
    const from = baggage ? inside : propagation.deleteBaggage(inside);
    const set = { set: (into: Record<string, unknown>, key: string, value: string): void => void (into[key] = value) };
    if (propagator) propagator.inject(from, fields, set);
    else propagation.inject(from, fields, set);
    return fields;
  }
}

/** The common attributes of spans and metrics. */
function attributesOf({ method, params, peer }: ObservedRequest): Attributes {
  const name = params?.['name'];
  const named = typeof name === 'string' ? name.slice(0, maxText) : undefined;
  return {
    'mcp.method.name': methods.has(method) ? method : '_OTHER',
    ...peer.revision && { 'mcp.protocol.version': peer.revision.version },
    ...method === 'tools/call' && { 'gen_ai.operation.name': 'execute_tool', ...named !== undefined && { 'gen_ai.tool.name': named } },
    ...method === 'prompts/get' && named !== undefined && { 'gen_ai.prompt.name': named },
  };
}

/** A value as JSON, truncated. */
function text(value: unknown): string {
  try {
    return (JSON.stringify(value) as string | undefined ?? '').slice(0, maxContent);
  } catch {
    return '';
  }
}
