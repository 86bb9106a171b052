// A go-sdk server over stdio; middleware of this test begins a span with the context of _meta as its parent.
package main

import (
	"context"
	"log"
	"os"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.opentelemetry.io/otel/exporters/stdout/stdouttrace"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/trace"
	oteltrace "go.opentelemetry.io/otel/trace"
)

type nothing struct{}

func main() {
	file, err := os.OpenFile(os.Getenv("SPANS"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		log.Fatal(err)
	}
	exporter, err := stdouttrace.New(stdouttrace.WithWriter(file))
	if err != nil {
		log.Fatal(err)
	}
	tracer := trace.NewTracerProvider(trace.WithSyncer(exporter)).Tracer("go")
	server := mcp.NewServer(&mcp.Implementation{Name: "go", Version: "1.0.0"}, nil)
	server.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, request mcp.Request) (mcp.Result, error) {
			carrier := propagation.MapCarrier{}
			if params := request.GetParams(); params != nil {
				for key, value := range params.GetMeta() {
					if text, ok := value.(string); ok {
						carrier[key] = text
					}
				}
			}
			ctx, span := tracer.Start(propagation.TraceContext{}.Extract(ctx, carrier), method, oteltrace.WithSpanKind(oteltrace.SpanKindServer))
			defer span.End()
			return next(ctx, method, request)
		}
	})
	mcp.AddTool(server, &mcp.Tool{Name: "wrap"}, func(context.Context, *mcp.CallToolRequest, nothing) (*mcp.CallToolResult, any, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "wrapped"}}}, nil, nil
	})
	if err := server.Run(context.Background(), &mcp.StdioTransport{}); err != nil {
		log.Print(err)
	}
}
