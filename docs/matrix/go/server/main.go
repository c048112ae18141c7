// A server on the Go SDK with the fixtures of the matrix: over stdio, or over HTTP at -http.
package main

import (
	"context"
	"encoding/base64"
	"errors"
	"flag"
	"fmt"
	"log"
	"net/http"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

var address = flag.String("http", "", "address for Streamable HTTP at /mcp and HTTP with SSE at /sse")

// A PNG of one pixel.
var pixel, _ = base64.StdEncoding.DecodeString("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==")

type none struct{}
type promptInput struct {
	Prompt string `json:"prompt" jsonschema:"what to ask the model"`
}
type messageInput struct {
	Message string `json:"message" jsonschema:"what to ask the user"`
}
type slowInput struct {
	DurationMs int `json:"durationMs,omitempty" jsonschema:"milliseconds"`
}
type weather struct {
	Temperature float64 `json:"temperature"`
	Conditions  string  `json:"conditions"`
}

func text(s string) mcp.Content { return &mcp.TextContent{Text: s} }

func embedded(uri, mime, body string) mcp.Content {
	return &mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: uri, MIMEType: mime, Text: body}}
}

func says(content ...mcp.Content) (*mcp.CallToolResult, any, error) {
	return &mcp.CallToolResult{Content: content}, nil, nil
}

// fixed adds a tool that always returns the same content.
func fixed(s *mcp.Server, name, description string, content ...mcp.Content) {
	mcp.AddTool(s, &mcp.Tool{Name: name, Description: description},
		func(context.Context, *mcp.CallToolRequest, none) (*mcp.CallToolResult, any, error) { return says(content...) })
}

// isStateless: the request names its revision, so that questions to the client are part of the result.
func isStateless(r *mcp.CallToolRequest) bool {
	_, named := r.Params.Meta["io.modelcontextprotocol/protocolVersion"]
	return named
}

func addTools(s *mcp.Server) {
	fixed(s, "test_simple_text", "Returns a text.", text("This is a simple text response for testing."))
	fixed(s, "test_image_content", "Returns an image.", &mcp.ImageContent{Data: pixel, MIMEType: "image/png"})
	fixed(s, "test_embedded_resource", "Returns a resource.",
		embedded("test://embedded-resource", "text/plain", "This is an embedded resource content."))
	fixed(s, "test_multiple_content_types", "Returns a text, an image and a resource.",
		text("Multiple content types test:"), &mcp.ImageContent{Data: pixel, MIMEType: "image/png"},
		embedded("test://mixed-content-resource", "application/json", `{"test":"data","value":123}`))
	mcp.AddTool(s, &mcp.Tool{Name: "test_error_handling", Description: "Fails."},
		func(context.Context, *mcp.CallToolRequest, none) (*mcp.CallToolResult, any, error) {
			return nil, nil, errors.New("This tool intentionally returns an error for testing")
		})
	mcp.AddTool(s, &mcp.Tool{Name: "test_structured_content", Description: "Returns structured content."},
		func(context.Context, *mcp.CallToolRequest, none) (*mcp.CallToolResult, weather, error) {
			return nil, weather{22.5, "Partly cloudy"}, nil
		})
	mcp.AddTool(s, &mcp.Tool{Name: "test_tool_with_progress", Description: "Reports progress."},
		func(ctx context.Context, r *mcp.CallToolRequest, _ none) (*mcp.CallToolResult, any, error) {
			for _, done := range []float64{0, 50, 100} {
				if token := r.Params.GetProgressToken(); token != nil {
					r.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: token, Progress: done, Total: 100})
				}
			}
			return says(text("Progress is complete."))
		})
	mcp.AddTool(s, &mcp.Tool{Name: "test_tool_with_logging", Description: "Logs."},
		func(ctx context.Context, r *mcp.CallToolRequest, _ none) (*mcp.CallToolResult, any, error) {
			for _, line := range []string{"Tool execution started", "Tool processing data", "Tool execution completed"} {
				r.Session.Log(ctx, &mcp.LoggingMessageParams{Level: "info", Data: line})
			}
			return says(text("Logging is complete."))
		})
	mcp.AddTool(s, &mcp.Tool{Name: "test_sampling", Description: "Asks the model of the client."}, sample)
	mcp.AddTool(s, &mcp.Tool{Name: "test_elicitation", Description: "Asks the user of the client."}, elicit)
	mcp.AddTool(s, &mcp.Tool{Name: "test_slow", Description: "Works for a while."},
		func(ctx context.Context, _ *mcp.CallToolRequest, in slowInput) (*mcp.CallToolResult, any, error) {
			select {
			case <-ctx.Done():
				return nil, nil, ctx.Err()
			case <-time.After(time.Duration(in.DurationMs) * time.Millisecond):
				return says(text("Done."))
			}
		})
}

func sample(ctx context.Context, r *mcp.CallToolRequest, in promptInput) (*mcp.CallToolResult, any, error) {
	ask := &mcp.CreateMessageParams{MaxTokens: 100, Messages: []*mcp.SamplingMessage{{Role: "user", Content: text(in.Prompt)}}}
	if !isStateless(r) {
		reply, err := r.Session.CreateMessage(ctx, ask)
		if err != nil {
			return nil, nil, err
		}
		return says(text("LLM response: " + reply.Content.(*mcp.TextContent).Text))
	}
	reply, ok := r.Params.InputResponses["model"].(*mcp.CreateMessageWithToolsResult)
	if !ok {
		return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{"model": ask}}, nil, nil
	}
	return says(text("LLM response: " + reply.Content[0].(*mcp.TextContent).Text))
}

func elicit(ctx context.Context, r *mcp.CallToolRequest, in messageInput) (*mcp.CallToolResult, any, error) {
	ask := &mcp.ElicitParams{Message: in.Message, RequestedSchema: map[string]any{
		"type":       "object",
		"properties": map[string]any{"username": map[string]any{"type": "string"}, "email": map[string]any{"type": "string"}},
		"required":   []string{"username", "email"},
	}}
	if !isStateless(r) {
		reply, err := r.Session.Elicit(ctx, ask)
		if err != nil {
			return nil, nil, err
		}
		return says(text(fmt.Sprintf("User response: %s, %v", reply.Action, reply.Content["username"])))
	}
	reply, ok := r.Params.InputResponses["user"].(*mcp.ElicitResult)
	if !ok {
		return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{"user": ask}}, nil, nil
	}
	return says(text(fmt.Sprintf("User response: %s, %v", reply.Action, reply.Content["username"])))
}

func addResources(s *mcp.Server) {
	static := func(uri, name, mime, body string, blob []byte) {
		s.AddResource(&mcp.Resource{URI: uri, Name: name, MIMEType: mime},
			func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
				return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: uri, MIMEType: mime, Text: body, Blob: blob}}}, nil
			})
	}
	static("test://static-text", "static-text", "text/plain", "This is the content of the static text resource.", nil)
	static("test://static-binary", "static-binary", "image/png", "", pixel)
	static("test://watched-resource", "watched-resource", "text/plain", "This is the watched resource.", nil)
	s.AddResourceTemplate(&mcp.ResourceTemplate{URITemplate: "test://template/{id}/data", Name: "template", MIMEType: "application/json"},
		func(_ context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			id := strings.Split(strings.TrimPrefix(r.Params.URI, "test://template/"), "/")[0]
			body := fmt.Sprintf(`{"id":"%s","templateTest":true,"data":"Data for ID: %s"}`, id, id)
			return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: r.Params.URI, MIMEType: "application/json", Text: body}}}, nil
		})
}

func addPrompts(s *mcp.Server) {
	add := func(name, description string, arguments []string, make func(map[string]string) mcp.Content) {
		prompt := &mcp.Prompt{Name: name, Description: description}
		for _, argument := range arguments {
			prompt.Arguments = append(prompt.Arguments, &mcp.PromptArgument{Name: argument, Required: true})
		}
		s.AddPrompt(prompt, func(_ context.Context, r *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{{Role: "user", Content: make(r.Params.Arguments)}}}, nil
		})
	}
	add("test_simple_prompt", "A text.", nil, func(map[string]string) mcp.Content { return text("This is a simple prompt for testing.") })
	add("test_prompt_with_arguments", "Repeats its arguments.", []string{"arg1", "arg2"}, func(a map[string]string) mcp.Content {
		return text(fmt.Sprintf("Prompt with arguments: arg1='%s', arg2='%s'", a["arg1"], a["arg2"]))
	})
	add("test_prompt_with_embedded_resource", "Contains a resource.", []string{"resourceUri"}, func(a map[string]string) mcp.Content {
		return embedded(a["resourceUri"], "text/plain", "Embedded resource content for testing.")
	})
}

func newServer() *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "matrix-go", Version: "1.0.0"}, &mcp.ServerOptions{
		SubscribeHandler:   func(context.Context, *mcp.SubscribeRequest) error { return nil },
		UnsubscribeHandler: func(context.Context, *mcp.UnsubscribeRequest) error { return nil },
		CompletionHandler: func(context.Context, *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
			return &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: []string{"testValue1"}, Total: 1}}, nil
		},
	})
	addTools(s)
	addResources(s)
	addPrompts(s)
	return s
}

func main() {
	flag.Parse()
	if *address == "" {
		if err := newServer().Run(context.Background(), &mcp.StdioTransport{}); err != nil {
			log.Print(err)
		}
		return
	}
	s := newServer()
	get := func(*http.Request) *mcp.Server { return s }
	// a handler has either sessions, for the older revisions, or the newest revision
	sessions := mcp.NewStreamableHTTPHandler(get, nil)
	stateless := mcp.NewStreamableHTTPHandler(get, &mcp.StreamableHTTPOptions{Stateless: true})
	http.HandleFunc("/mcp", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Mcp-Protocol-Version") >= "2026" {
			stateless.ServeHTTP(w, r)
		} else {
			sessions.ServeHTTP(w, r)
		}
	})
	http.Handle("/sse", mcp.NewSSEHandler(get, nil))
	log.Fatal(http.ListenAndServe(*address, nil))
}
