import { context, propagation, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { CompositePropagator, W3CBaggagePropagator, W3CTraceContextPropagator } from '@opentelemetry/core';
import { BasicTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace-base';
import { appendFileSync } from 'node:fs';

/** The fields of a span that the tests read, from any SDK. */
export interface SpanRecord {
  readonly service: string;
  readonly name: string;
  readonly trace: string;
  readonly span: string;
  readonly parent: string | null;
  readonly kind: string;
  readonly attributes?: Readonly<Record<string, unknown>>;
  readonly links?: readonly string[];
}

const kinds = ['internal', 'server', 'client', 'producer', 'consumer'];

export const recordOf = (service: string, span: ReadableSpan): SpanRecord => ({
  service, name: span.name, trace: span.spanContext().traceId, span: span.spanContext().spanId,
  parent: span.parentSpanContext?.spanId ?? null, kind: kinds[span.kind] ?? '', attributes: span.attributes,
  links: span.links.map((link) => link.context.spanId),
});

/** Registers OpenTelemetry's SDK for this process; `take` gets each ended span. */
export function register(service: string, take: (span: SpanRecord) => void): void {
  const exporter: SpanExporter = {
    export(spans, done) {
      for (const span of spans) take(recordOf(service, span));
      done({ code: 0 });
    },
    shutdown: () => Promise.resolve(),
  };
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new CompositePropagator({ propagators: [new W3CTraceContextPropagator(), new W3CBaggagePropagator()] }));
  trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }));
}

export const toFile = (path: string) => (span: SpanRecord): void => appendFileSync(path, `${JSON.stringify(span)}\n`);
