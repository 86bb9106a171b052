/** The trace context in `_meta` (SEP-414): the values of the header fields of W3C Trace Context and W3C Baggage. */
export interface TraceContext {
  readonly traceparent?: string;
  readonly tracestate?: string;
  readonly baggage?: string;
}

/** W3C Trace Context, 3.2: version, trace id, parent id, flags; later versions may append more. */
const traceparentForm = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?:-[!-~]{0,200})?$/;
/** Visible ASCII, spaces and tabs. */
const fieldForm = /^[\t -~]+$/;
/** W3C Trace Context, 3.3.1.5: vendors SHOULD propagate at least 512 characters. W3C Baggage, 3.3.2: 8192 bytes. */
const longest = { tracestate: 512, baggage: 8192 } as const;

/**
 * Reads the trace context of a `_meta`. Drops malformed and too long values, and `tracestate` without `traceparent`.
 * Undefined if nothing is left. Pass it to a further call: `client.callTool(name, args, { meta: traceOf(ctx.meta) })`.
 * The value `baggage` may contain confidential data, so it is read only if the argument `baggage` is true.
 */
export function traceOf(
  meta: Readonly<Record<string, unknown>> | undefined, baggage: boolean = false,
): (TraceContext & Record<string, string>) | undefined {
  const found: Record<string, string> = {};
  const field = (name: 'tracestate' | 'baggage'): void => {
    const value = meta?.[name];
    if (typeof value === 'string' && value.length <= longest[name] && fieldForm.test(value)) found[name] = value;
  };
  const traceparent = meta?.['traceparent'];
  if (typeof traceparent === 'string' && traceparent.length <= 256 && traceparentForm.test(traceparent)) {
    // Version 00 has nothing after the flags.
    if (traceparent.length === 55 || !traceparent.startsWith('00')) found['traceparent'] = traceparent;
  }
  if (found['traceparent'] !== undefined) field('tracestate');
  if (baggage) field('baggage');
  return Object.keys(found).length > 0 ? found : undefined;
}

/**
 * Selects the parent of a request: the trace context of `_meta`, otherwise that of the HTTP header. If both exist, that of
 * the header becomes a link (OpenTelemetry, semantic conventions of MCP, context propagation).
 */
export const precedence = <T>(meta: T | undefined, header: T | undefined): { readonly parent: T | undefined; readonly link: T | undefined } =>
  (meta === undefined ? { parent: header, link: undefined } : { parent: meta, link: header });
