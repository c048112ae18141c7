// A server on mcp-go with the fixtures of the matrix: over stdio, or over HTTP at -http.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"net/http"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

var address = flag.String("http", "", "address for Streamable HTTP at /mcp and HTTP with SSE at /sse")

// A PNG of one pixel.
const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="

const weather = `{"type":"object","required":["temperature","conditions"],
"properties":{"temperature":{"type":"number"},"conditions":{"type":"string"}}}`

func says(content ...mcp.Content) (*mcp.CallToolResult, error) {
	return &mcp.CallToolResult{Content: content}, nil
}

func embedded(uri, mime, body string) mcp.Content {
	return mcp.NewEmbeddedResource(mcp.TextResourceContents{URI: uri, MIMEType: mime, Text: body})
}

// fixed adds a tool that always returns the same content.
func fixed(s *server.MCPServer, name, description string, content ...mcp.Content) {
	s.AddTool(mcp.NewTool(name, mcp.WithDescription(description)),
		func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) { return says(content...) })
}

func addTools(s *server.MCPServer) {
	text, image := mcp.NewTextContent, mcp.NewImageContent(pixel, "image/png")
	fixed(s, "test_simple_text", "Returns a text.", text("This is a simple text response for testing."))
	fixed(s, "test_image_content", "Returns an image.", image)
	fixed(s, "test_embedded_resource", "Returns a resource.",
		embedded("test://embedded-resource", "text/plain", "This is an embedded resource content."))
	fixed(s, "test_multiple_content_types", "Returns a text, an image and a resource.",
		text("Multiple content types test:"), image,
		embedded("test://mixed-content-resource", "application/json", `{"test":"data","value":123}`))
	s.AddTool(mcp.NewTool("test_error_handling", mcp.WithDescription("Fails.")),
		func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return mcp.NewToolResultError("This tool intentionally returns an error for testing"), nil
		})
	s.AddTool(mcp.NewTool("test_structured_content", mcp.WithDescription("Returns structured content."),
		mcp.WithRawOutputSchema(json.RawMessage(weather))),
		func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			content := map[string]any{"temperature": 22.5, "conditions": "Partly cloudy"}
			return mcp.NewToolResultStructured(content, `{"temperature":22.5,"conditions":"Partly cloudy"}`), nil
		})
	s.AddTool(mcp.NewTool("test_tool_with_progress", mcp.WithDescription("Reports progress.")),
		func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			if r.Params.Meta != nil && r.Params.Meta.ProgressToken != nil {
				for _, done := range []int{0, 50, 100} {
					params := map[string]any{"progressToken": r.Params.Meta.ProgressToken, "progress": done, "total": 100}
					if err := s.SendNotificationToClient(ctx, "notifications/progress", params); err != nil {
						return nil, err
					}
				}
			}
			return says(text("Progress is complete."))
		})
	s.AddTool(mcp.NewTool("test_tool_with_logging", mcp.WithDescription("Logs.")),
		func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			for _, line := range []string{"Tool execution started", "Tool processing data", "Tool execution completed"} {
				note := mcp.NewLoggingMessageNotification(mcp.LoggingLevelInfo, "matrix", line)
				if err := s.SendLogMessageToClient(ctx, note); err != nil {
					return nil, err
				}
			}
			return says(text("Logging is complete."))
		})
	s.AddTool(mcp.NewTool("test_sampling", mcp.WithDescription("Asks the model of the client."),
		mcp.WithString("prompt", mcp.Required())),
		func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return sample(ctx, s, r)
		})
	s.AddTool(mcp.NewTool("test_elicitation", mcp.WithDescription("Asks the user of the client."),
		mcp.WithString("message", mcp.Required())),
		func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return elicit(ctx, s, r)
		})
	s.AddTool(mcp.NewTool("test_slow", mcp.WithDescription("Works for a while."), mcp.WithNumber("durationMs")),
		func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			select {
			case <-ctx.Done():
				return nil, ctx.Err()
			case <-time.After(time.Duration(r.GetInt("durationMs", 0)) * time.Millisecond):
				return says(text("Done."))
			}
		})
}

func sample(ctx context.Context, s *server.MCPServer, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	message := mcp.SamplingMessage{Role: mcp.RoleUser, Content: mcp.NewTextContent(r.GetString("prompt", ""))}
	params := mcp.CreateMessageParams{Messages: []mcp.SamplingMessage{message}, MaxTokens: 100}
	reply, err := s.RequestSampling(ctx, mcp.CreateMessageRequest{CreateMessageParams: params})
	if err != nil {
		return mcp.NewToolResultError(err.Error()), nil
	}
	return says(mcp.NewTextContent(fmt.Sprintf("LLM response: %v", reply.Content)))
}

func elicit(ctx context.Context, s *server.MCPServer, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	text := map[string]any{"type": "string"}
	params := mcp.ElicitationParams{Message: r.GetString("message", ""), RequestedSchema: map[string]any{
		"type": "object", "properties": map[string]any{"username": text, "email": text}, "required": []string{"username", "email"},
	}}
	reply, err := s.RequestElicitation(ctx, mcp.ElicitationRequest{Params: params})
	if err != nil {
		return mcp.NewToolResultError(err.Error()), nil
	}
	return says(mcp.NewTextContent(fmt.Sprintf("User response: %s, %v", reply.Action, reply.Content)))
}

func addResources(s *server.MCPServer) {
	static := func(name, mime string, contents mcp.ResourceContents) {
		s.AddResource(mcp.NewResource("test://"+name, name, mcp.WithMIMEType(mime)),
			func(context.Context, mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
				return []mcp.ResourceContents{contents}, nil
			})
	}
	text := func(uri, body string) mcp.ResourceContents {
		return mcp.TextResourceContents{URI: uri, MIMEType: "text/plain", Text: body}
	}
	static("static-text", "text/plain", text("test://static-text", "This is the content of the static text resource."))
	static("static-binary", "image/png",
		mcp.BlobResourceContents{URI: "test://static-binary", MIMEType: "image/png", Blob: pixel})
	static("watched-resource", "text/plain", text("test://watched-resource", "This is the watched resource."))
	s.AddResourceTemplate(
		mcp.NewResourceTemplate("test://template/{id}/data", "template", mcp.WithTemplateMIMEType("application/json")),
		func(_ context.Context, r mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
			id := strings.Split(strings.TrimPrefix(r.Params.URI, "test://template/"), "/")[0]
			body := fmt.Sprintf(`{"id":"%s","templateTest":true,"data":"Data for ID: %s"}`, id, id)
			return []mcp.ResourceContents{mcp.TextResourceContents{URI: r.Params.URI, MIMEType: "application/json", Text: body}}, nil
		})
}

func addPrompts(s *server.MCPServer) {
	add := func(name string, arguments []string, make func(map[string]string) mcp.Content) {
		var options []mcp.PromptOption
		for _, argument := range arguments {
			options = append(options, mcp.WithArgument(argument, mcp.RequiredArgument()))
		}
		s.AddPrompt(mcp.NewPrompt(name, options...),
			func(_ context.Context, r mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
				message := mcp.PromptMessage{Role: mcp.RoleUser, Content: make(r.Params.Arguments)}
				return &mcp.GetPromptResult{Messages: []mcp.PromptMessage{message}}, nil
			})
	}
	add("test_simple_prompt", nil,
		func(map[string]string) mcp.Content { return mcp.NewTextContent("This is a simple prompt for testing.") })
	add("test_prompt_with_arguments", []string{"arg1", "arg2"}, func(a map[string]string) mcp.Content {
		return mcp.NewTextContent(fmt.Sprintf("Prompt with arguments: arg1='%s', arg2='%s'", a["arg1"], a["arg2"]))
	})
	add("test_prompt_with_embedded_resource", []string{"resourceUri"}, func(a map[string]string) mcp.Content {
		return embedded(a["resourceUri"], "text/plain", "Embedded resource content for testing.")
	})
}

// One value for each argument.
type completions struct{}

func (completions) CompletePromptArgument(
	context.Context, string, mcp.CompleteArgument, mcp.CompleteContext,
) (*mcp.Completion, error) {
	return &mcp.Completion{Values: []string{"testValue1"}, Total: 1}, nil
}

func main() {
	flag.Parse()
	s := server.NewMCPServer("matrix-mcp-go", "1.0.0",
		server.WithToolCapabilities(true), server.WithResourceCapabilities(true, true), server.WithPromptCapabilities(true),
		server.WithCompletions(), server.WithPromptCompletionProvider(completions{}), server.WithLogging(), server.WithElicitation())
	s.EnableSampling()
	addTools(s)
	addResources(s)
	addPrompts(s)
	if *address == "" {
		if err := server.ServeStdio(s); err != nil {
			log.Print(err)
		}
		return
	}
	sse := server.NewSSEServer(s)
	http.Handle("/mcp", server.NewStreamableHTTPServer(s))
	http.Handle("/sse", sse)
	http.Handle("/message", sse)
	log.Fatal(http.ListenAndServe(*address, nil))
}
