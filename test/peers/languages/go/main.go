// The official Go SDK as a peer, with the features of both roles.
//
//	peers serve stdio | http | stateless     a server; http prints its port on stdout
//	peers call REVISION URL                  a client over HTTP; prints its results as JSON
//	peers call REVISION -- COMMAND ARGS      a client over standard streams
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type sum struct {
	A float64 `json:"a"`
	B float64 `json:"b"`
}

type total struct {
	Sum float64 `json:"sum"`
}

type nothing struct{}

func say(text string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}
}

func newServer() *mcp.Server {
	server := mcp.NewServer(&mcp.Implementation{Name: "go-sdk", Version: "1.0.0"}, &mcp.ServerOptions{
		Instructions: "From Go.",
		CompletionHandler: func(_ context.Context, request *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
			found := []string{}
			for _, name := range []string{"Rome", "Riga", "Oslo"} {
				if strings.HasPrefix(name, request.Params.Argument.Value) {
					found = append(found, name)
				}
			}
			return &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: found}}, nil
		},
		SubscribeHandler:   func(context.Context, *mcp.SubscribeRequest) error { return nil },
		UnsubscribeHandler: func(context.Context, *mcp.UnsubscribeRequest) error { return nil },
	})
	mcp.AddTool(server, &mcp.Tool{Name: "add"}, func(_ context.Context, _ *mcp.CallToolRequest, in sum) (*mcp.CallToolResult, total, error) {
		return nil, total{in.A + in.B}, nil
	})
	mcp.AddTool(server, &mcp.Tool{Name: "fail"}, func(context.Context, *mcp.CallToolRequest, nothing) (*mcp.CallToolResult, any, error) {
		return nil, nil, fmt.Errorf("out of flour")
	})
	mcp.AddTool(server, &mcp.Tool{Name: "steps"}, func(ctx context.Context, request *mcp.CallToolRequest, _ nothing) (*mcp.CallToolResult, any, error) {
		for i := 1; i <= 3; i++ {
			request.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: request.Params.GetProgressToken(), Progress: float64(i), Total: 3})
		}
		return say("done"), nil, nil
	})
	mcp.AddTool(server, &mcp.Tool{Name: "ask"}, func(_ context.Context, request *mcp.CallToolRequest, _ nothing) (*mcp.CallToolResult, any, error) {
		if answer, ok := request.Params.InputResponses["name"].(*mcp.ElicitResult); ok {
			return say(fmt.Sprintf("%s %v", answer.Action, answer.Content["name"])), nil, nil
		}
		return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{"name": &mcp.ElicitParams{
			Mode: "form", Message: "Your name?",
			RequestedSchema: map[string]any{"type": "object", "properties": map[string]any{"name": map[string]any{"type": "string"}}},
		}}}, nil, nil
	})
	mcp.AddTool(server, &mcp.Tool{Name: "wait"}, func(ctx context.Context, _ *mcp.CallToolRequest, _ nothing) (*mcp.CallToolResult, any, error) {
		<-ctx.Done()
		return say("cancelled"), nil, nil
	})
	mcp.AddTool(server, &mcp.Tool{Name: "grow"}, func(context.Context, *mcp.CallToolRequest, nothing) (*mcp.CallToolResult, any, error) {
		mcp.AddTool(server, &mcp.Tool{Name: "grown"}, func(context.Context, *mcp.CallToolRequest, nothing) (*mcp.CallToolResult, any, error) {
			return say("grown"), nil, nil
		})
		return say("growing"), nil, nil
	})
	read := func(_ context.Context, request *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: request.Params.URI, MIMEType: "text/plain", Text: "text of " + request.Params.URI}}}, nil
	}
	server.AddResource(&mcp.Resource{URI: "trips://all", Name: "all"}, read)
	server.AddResourceTemplate(&mcp.ResourceTemplate{URITemplate: "trips://city/{name}", Name: "city"}, read)
	server.AddPrompt(&mcp.Prompt{Name: "plan", Arguments: []*mcp.PromptArgument{{Name: "city", Required: true}}},
		func(_ context.Context, request *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: "Plan " + request.Params.Arguments["city"]}}}}, nil
		})
	return server
}

func serve(kind string) {
	server := newServer()
	if kind == "stdio" {
		server.Run(context.Background(), &mcp.StdioTransport{})
		return
	}
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{Stateless: kind == "stateless"})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("port", listener.Addr().(*net.TCPAddr).Port)
	go func() {
		io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	log.Fatal(http.Serve(listener, handler))
}

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

func textOf(result *mcp.CallToolResult) string {
	if block, ok := result.Content[0].(*mcp.TextContent); ok {
		return block.Text
	}
	return ""
}

func call(revision string, target []string) {
	ctx, stop := context.WithTimeout(context.Background(), 30*time.Second)
	defer stop()
	var lock sync.Mutex
	progress := []float64{}
	changed := make(chan bool, 8)
	client := mcp.NewClient(&mcp.Implementation{Name: "go-sdk", Version: "1.0.0"}, &mcp.ClientOptions{
		ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"name": "Ada"}}, nil
		},
		CreateMessageHandler: func(context.Context, *mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
			return &mcp.CreateMessageResult{Model: "none", Role: "assistant", Content: &mcp.TextContent{Text: "42"}}, nil
		},
		ProgressNotificationHandler: func(_ context.Context, request *mcp.ProgressNotificationClientRequest) {
			lock.Lock()
			defer lock.Unlock()
			progress = append(progress, request.Params.Progress)
		},
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) {
			select {
			case changed <- true:
			default:
			}
		},
	})
	client.AddRoots(&mcp.Root{URI: "file:///work", Name: "work"})
	var transport mcp.Transport
	if target[0] == "--" {
		transport = &mcp.CommandTransport{Command: exec.Command(target[1], target[2:]...)}
	} else {
		transport = &mcp.StreamableClientTransport{Endpoint: target[0]}
	}
	session := must(client.Connect(ctx, transport, &mcp.ClientSessionOptions{ProtocolVersion: revision}))
	defer session.Close()
	saw := map[string]any{"revision": session.InitializeResult().ProtocolVersion, "server": session.InitializeResult().ServerInfo.Name}
	names := []string{}
	for tool, err := range session.Tools(ctx, nil) {
		names = append(names, must(tool, err).Name)
	}
	saw["tools"] = names
	run := func(name string, args any) *mcp.CallToolResult {
		params := &mcp.CallToolParams{Name: name, Arguments: args}
		params.SetProgressToken(name)
		return must(session.CallTool(ctx, params))
	}
	saw["add"] = run("add", sum{1, 2}).StructuredContent
	failed := run("fail", nothing{})
	saw["fail"] = []any{failed.IsError, textOf(failed)}
	saw["steps"] = textOf(run("steps", nothing{}))
	saw["ask"] = textOf(run("ask", nothing{}))
	saw["sample"] = textOf(run("sample", nothing{}))
	saw["roots"] = textOf(run("roots", nothing{}))
	saw["resource"] = must(session.ReadResource(ctx, &mcp.ReadResourceParams{URI: "trips://city/Rome"})).Contents[0].Text
	prompt := must(session.GetPrompt(ctx, &mcp.GetPromptParams{Name: "plan", Arguments: map[string]string{"city": "Rome"}}))
	saw["prompt"] = prompt.Messages[0].Content.(*mcp.TextContent).Text
	saw["complete"] = must(session.Complete(ctx, &mcp.CompleteParams{Argument: mcp.CompleteParamsArgument{Name: "city", Value: "R"}, Ref: &mcp.CompleteReference{Type: "ref/prompt", Name: "plan"}})).Completion.Values
	cancelled, cancel := context.WithCancel(ctx)
	time.AfterFunc(200*time.Millisecond, cancel)
	_, err := session.CallTool(cancelled, &mcp.CallToolParams{Name: "wait", Arguments: nothing{}})
	saw["cancelled"] = err != nil
	run("grow", nothing{})
	select {
	case saw["changed"] = <-changed:
	case <-time.After(10 * time.Second):
		saw["changed"] = false
	}
	lock.Lock()
	saw["progress"] = progress
	json.NewEncoder(os.Stdout).Encode(saw)
	lock.Unlock()
}

func main() {
	log.SetFlags(0)
	if os.Args[1] == "serve" {
		serve(os.Args[2])
	} else {
		call(os.Args[2], os.Args[3:])
	}
}
