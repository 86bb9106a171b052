"""A FastMCP server over stdio, which traces by itself. Its spans go to the file SPANS, a line each."""
import json
import os

from fastmcp import FastMCP
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor, SpanExporter, SpanExportResult


class Lines(SpanExporter):
    def export(self, spans):
        with open(os.environ["SPANS"], "a") as file:
            for span in spans:
                file.write(json.dumps({
                    "service": "python",
                    "name": span.name,
                    "trace": format(span.context.trace_id, "032x"),
                    "span": format(span.context.span_id, "016x"),
                    "parent": format(span.parent.span_id, "016x") if span.parent else None,
                    "kind": span.kind.name.lower(),
                }) + "\n")
        return SpanExportResult.SUCCESS


provider = TracerProvider()
provider.add_span_processor(SimpleSpanProcessor(Lines()))
trace.set_tracer_provider(provider)

server = FastMCP("python")


@server.tool
def bake() -> str:
    return "baked"


server.run(transport="stdio", show_banner=False)
