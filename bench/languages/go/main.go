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

func sdk(options *mcp.StreamableHTTPOptions) http.Handler {
	server := mcp.NewServer(&mcp.Implementation{Name: "go-sdk", Version: "1.0.0"}, nil)
	mcp.AddTool(server, &mcp.Tool{Name: "echo", Description: "Returns its text"},
		func(_ context.Context, _ *mcp.CallToolRequest, in echoArguments) (*mcp.CallToolResult, any, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: in.Text}}}, nil, nil
		})
	return mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, options)
}

type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Name      string        `json:"name"`
		Arguments echoArguments `json:"arguments"`
	} `json:"params"`
}

type answer struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Result  any             `json:"result"`
}

func bare() http.Handler {
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
			content := []map[string]string{{"type": "text", "text": in.Params.Arguments.Text}}
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
	var handler http.Handler
	switch os.Args[1] {
	case "bare":
		handler = bare()
	case "sdk":
		handler = sdk(nil)
	case "sdk-stateless":
		handler = sdk(&mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true})
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
