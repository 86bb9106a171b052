// Servers in Go: "bare" is net/http doing the same work by hand, "sdk" the official Go SDK with sessions, and
// "sdk-stateless" the same with Stateless and JSONResponse.
package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type echoArguments struct {
	Text string `json:"text"`
}

type cartArguments struct {
	User string `json:"user"`
}

type productArguments struct {
	ID string `json:"id"`
}

func answered(text string, err error) (*mcp.CallToolResult, any, error) {
	if err != nil {
		return nil, nil, err
	}
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil, nil
}

func sdk(tools *tools, options *mcp.StreamableHTTPOptions) http.Handler {
	server := mcp.NewServer(&mcp.Implementation{Name: "go-sdk", Version: "1.0.0"}, nil)
	mcp.AddTool(server, &mcp.Tool{Name: "echo", Description: "Returns its text"},
		func(_ context.Context, _ *mcp.CallToolRequest, in echoArguments) (*mcp.CallToolResult, any, error) {
			return answered(in.Text, nil)
		})
	mcp.AddTool(server, &mcp.Tool{Name: "cart", Description: "What is in a user's cart"},
		func(ctx context.Context, _ *mcp.CallToolRequest, in cartArguments) (*mcp.CallToolResult, any, error) {
			return answered(tools.cart(ctx, in.User))
		})
	mcp.AddTool(server, &mcp.Tool{Name: "product", Description: "One product of the catalogue"},
		func(ctx context.Context, _ *mcp.CallToolRequest, in productArguments) (*mcp.CallToolResult, any, error) {
			return answered(tools.product(ctx, in.ID))
		})
	return mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, options)
}

type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Name      string `json:"name"`
		Arguments struct {
			Text string `json:"text"`
			User string `json:"user"`
			ID   string `json:"id"`
		} `json:"arguments"`
	} `json:"params"`
}

type answer struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Result  any             `json:"result"`
}

func bare(tools *tools) http.Handler {
	var sessions sync.Map
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodDelete {
			sessions.Delete(r.Header.Get("Mcp-Session-Id"))
			return
		}
		body, err := io.ReadAll(r.Body)
		var in message
		if err != nil || json.Unmarshal(body, &in) != nil {
			http.Error(w, "bad request", http.StatusBadRequest)
			return
		}
		var result any
		switch {
		case in.ID == nil:
			w.WriteHeader(http.StatusAccepted)
			return
		case in.Method == "initialize":
			id := rand.Text()
			sessions.Store(id, true)
			w.Header().Set("Mcp-Session-Id", id)
			result = map[string]any{"protocolVersion": "2025-11-25", "capabilities": map[string]any{"tools": map[string]any{}}, "serverInfo": map[string]any{"name": "bare", "version": "1.0.0"}}
		default:
			text := in.Params.Arguments.Text
			switch in.Params.Name {
			case "cart":
				text, err = tools.cart(r.Context(), in.Params.Arguments.User)
			case "product":
				text, err = tools.product(r.Context(), in.Params.Arguments.ID)
			}
			if err != nil {
				http.Error(w, err.Error(), http.StatusBadGateway)
				return
			}
			content := []map[string]string{{"type": "text", "text": text}}
			if r.Header.Get("Mcp-Protocol-Version") == "2026-07-28" {
				result = map[string]any{"resultType": "complete", "content": content}
			} else {
				result = map[string]any{"content": content}
			}
		}
		out, _ := json.Marshal(answer{"2.0", in.ID, result})
		w.Header().Set("Content-Type", "application/json")
		w.Write(out)
	})
}

func main() {
	tools, err := connectTools()
	if err != nil {
		log.Fatal(err)
	}
	var handler http.Handler
	switch os.Args[1] {
	case "bare":
		handler = bare(tools)
	case "sdk":
		handler = sdk(tools, nil)
	case "sdk-stateless":
		handler = sdk(tools, &mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true})
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("port", listener.Addr().(*net.TCPAddr).Port)
	go func() {
		io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	mux := http.NewServeMux()
	mux.Handle("/mcp", handler)
	log.Fatal(http.Serve(listener, mux))
}
