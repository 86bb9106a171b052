// Clients on the Go SDKs: each lists and uses all that the server declares. `use SDK http URL`, `use SDK stdio PROGRAM ...`.
package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	other "github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	othermcp "github.com/mark3labs/mcp-go/mcp"
)

func say(what string, err error) {
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", what, err)
	}
}

func valueOf(schema map[string]any) any {
	if value, ok := schema["default"]; ok {
		return value
	}
	switch schema["type"] {
	case "object":
		return argumentsOf(schema)
	case "integer", "number":
		return 2
	case "boolean":
		return true
	case "array":
		return []any{}
	}
	return "Ada"
}

func argumentsOf(schema any) map[string]any {
	given := map[string]any{}
	whole, _ := schema.(map[string]any)
	properties, _ := whole["properties"].(map[string]any)
	required, _ := whole["required"].([]any)
	for _, name := range required {
		property, _ := properties[name.(string)].(map[string]any)
		given[name.(string)] = valueOf(property)
	}
	return given
}

func official(ctx context.Context, target []string) error {
	client := mcp.NewClient(&mcp.Implementation{Name: "league-go-sdk", Version: "1.0.0"}, &mcp.ClientOptions{
		ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"name": "Ada", "size": 2}}, nil
		},
		CreateMessageHandler: func(context.Context, *mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
			return &mcp.CreateMessageResult{Model: "none", Role: "assistant", Content: &mcp.TextContent{Text: "Hello."}}, nil
		},
	})
	client.AddRoots(&mcp.Root{URI: "file:///work", Name: "work"})
	var way mcp.Transport
	if target[0] == "http" {
		way = &mcp.StreamableClientTransport{Endpoint: target[1]}
	} else {
		way = &mcp.CommandTransport{Command: exec.Command(target[1], target[2:]...)}
	}
	session, err := client.Connect(ctx, way, nil)
	if err != nil {
		return err
	}
	for tool, err := range session.Tools(ctx, nil) {
		if err != nil {
			say("tools/list", err)
			break
		}
		_, err = session.CallTool(ctx, &mcp.CallToolParams{Name: tool.Name, Arguments: argumentsOf(tool.InputSchema)})
		say(tool.Name, err)
	}
	capabilities := session.InitializeResult().Capabilities
	if capabilities.Resources != nil {
		for resource, err := range session.Resources(ctx, nil) {
			if err != nil {
				say("resources/list", err)
				break
			}
			_, err = session.ReadResource(ctx, &mcp.ReadResourceParams{URI: resource.URI})
			say(resource.URI, err)
		}
	}
	if capabilities.Prompts != nil {
		for prompt, err := range session.Prompts(ctx, nil) {
			if err != nil {
				say("prompts/list", err)
				break
			}
			given := map[string]string{}
			for _, argument := range prompt.Arguments {
				given[argument.Name] = "Ada"
			}
			_, err = session.GetPrompt(ctx, &mcp.GetPromptParams{Name: prompt.Name, Arguments: given})
			say(prompt.Name, err)
		}
	}
	return session.Close()
}

func mark3labs(ctx context.Context, target []string) error {
	var client *other.Client
	if target[0] == "http" {
		way, err := transport.NewStreamableHTTP(target[1])
		if err != nil {
			return err
		}
		client = other.NewClient(way)
		if err := client.Start(ctx); err != nil {
			return err
		}
	} else {
		started, err := other.NewStdioMCPClient(target[1], nil, target[2:]...)
		if err != nil {
			return err
		}
		client = started
	}
	defer client.Close()
	request := othermcp.InitializeRequest{}
	request.Params.ProtocolVersion = othermcp.LATEST_PROTOCOL_VERSION
	request.Params.ClientInfo = othermcp.Implementation{Name: "league-mcp-go", Version: "1.0.0"}
	result, err := client.Initialize(ctx, request)
	if err != nil {
		return err
	}
	tools, err := client.ListTools(ctx, othermcp.ListToolsRequest{})
	if err != nil {
		say("tools/list", err)
	} else {
		for _, tool := range tools.Tools {
			given := map[string]any{}
			for _, name := range tool.InputSchema.Required {
				property, _ := tool.InputSchema.Properties[name].(map[string]any)
				given[name] = valueOf(property)
			}
			call := othermcp.CallToolRequest{}
			call.Params.Name = tool.Name
			call.Params.Arguments = given
			_, err := client.CallTool(ctx, call)
			say(tool.Name, err)
		}
	}
	if result.Capabilities.Resources != nil {
		resources, err := client.ListResources(ctx, othermcp.ListResourcesRequest{})
		say("resources/list", err)
		if err == nil {
			for _, resource := range resources.Resources {
				read := othermcp.ReadResourceRequest{}
				read.Params.URI = resource.URI
				_, err := client.ReadResource(ctx, read)
				say(resource.URI, err)
			}
		}
	}
	return nil
}

func main() {
	ctx, stop := context.WithTimeout(context.Background(), 60*time.Second)
	defer stop()
	use := map[string]func(context.Context, []string) error{"go-sdk": official, "mcp-go": mark3labs}[os.Args[1]]
	if err := use(ctx, os.Args[2:]); err != nil {
		say(os.Args[1], err)
		os.Exit(1)
	}
}
