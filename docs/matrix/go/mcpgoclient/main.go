// A driver for the client of mcp-go: runs the script in MCP_CONFORM_SCRIPT (docs/clients.md), and prints a line for each
// step.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

type step []any

func (s step) word(at int) string {
	if at < len(s) {
		if word, ok := s[at].(string); ok {
			return word
		}
	}
	return ""
}

func (s step) object(at int) map[string]any {
	if at < len(s) {
		if object, ok := s[at].(map[string]any); ok {
			return object
		}
	}
	return map[string]any{}
}

func texts(object map[string]any) map[string]string {
	found := map[string]string{}
	for name, value := range object {
		found[name] = fmt.Sprint(value)
	}
	return found
}

// The handlers of the client.
type host struct{ content map[string]any }

func (h *host) CreateMessage(context.Context, mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
	text := mcp.NewTextContent("This is a test response from the client")
	message := mcp.SamplingMessage{Role: mcp.RoleAssistant, Content: text}
	return &mcp.CreateMessageResult{SamplingMessage: message, Model: "test-model", StopReason: "endTurn"}, nil
}

func (h *host) Elicit(context.Context, mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	accepted := mcp.ElicitationResponse{Action: mcp.ElicitationResponseActionAccept, Content: h.content}
	return &mcp.ElicitationResult{ElicitationResponse: accepted}, nil
}

type driver struct {
	host    host
	client  *client.Client
	cancel  context.CancelFunc
	pending sync.WaitGroup
}

func carrier() (transport.Interface, error) {
	if command := os.Getenv("MCP_CONFORM_COMMAND"); command != "" {
		var words []string
		if err := json.Unmarshal([]byte(command), &words); err != nil {
			return nil, err
		}
		return transport.NewStdio(words[0], nil, words[1:]...), nil
	}
	url := os.Getenv("MCP_CONFORM_URL")
	if os.Getenv("MCP_CONFORM_TRANSPORT") == "http-sse" {
		return transport.NewSSE(url)
	}
	version := os.Getenv("MCP_CONFORMANCE_PROTOCOL_VERSION")
	if mcp.IsModernProtocol(version) {
		return transport.NewStreamableHTTP(url)
	}
	// the stream opened with GET has the notifications without a request
	return transport.NewStreamableHTTP(url, transport.WithContinuousListening())
}

func (d *driver) connect(ctx context.Context) error {
	over, err := carrier()
	if err != nil {
		return err
	}
	version := os.Getenv("MCP_CONFORMANCE_PROTOCOL_VERSION")
	d.client = client.NewClient(over, client.WithProtocolVersion(version),
		client.WithSamplingHandler(&d.host), client.WithElicitationHandler(&d.host))
	if err := d.client.Start(ctx); err != nil {
		return err
	}
	_, err = d.client.Initialize(ctx, mcp.InitializeRequest{Params: mcp.InitializeParams{
		ProtocolVersion: version, ClientInfo: mcp.Implementation{Name: "matrix-mcp-go-client", Version: "1.0.0"},
	}})
	return err
}

func (d *driver) list(ctx context.Context, what string) (err error) {
	declared := d.client.GetServerCapabilities()
	switch {
	case what == "tools" && declared.Tools != nil:
		_, err = d.client.ListTools(ctx, mcp.ListToolsRequest{})
	case what == "prompts" && declared.Prompts != nil:
		_, err = d.client.ListPrompts(ctx, mcp.ListPromptsRequest{})
	case what == "resources" && declared.Resources != nil:
		_, err = d.client.ListResources(ctx, mcp.ListResourcesRequest{})
	case what == "templates" && declared.Resources != nil:
		_, err = d.client.ListResourceTemplates(ctx, mcp.ListResourceTemplatesRequest{})
	}
	return err
}

func (d *driver) call(ctx context.Context, s step) error {
	request := mcp.CallToolRequest{Params: mcp.CallToolParams{Name: s.word(1), Arguments: s.object(2)}}
	if s.object(3)["progress"] == true {
		request.Params.Meta = &mcp.Meta{ProgressToken: "progress-1"}
	}
	if s.object(3)["wait"] != false {
		_, err := d.client.CallTool(ctx, request)
		return err
	}
	ctx, d.cancel = context.WithCancel(ctx)
	d.pending.Add(1)
	go func() {
		defer d.pending.Done()
		d.client.CallTool(ctx, request)
	}()
	time.Sleep(100 * time.Millisecond) // the request leaves before the next step
	return nil
}

func (d *driver) complete(ctx context.Context, s step) error {
	if d.client.GetServerCapabilities().Completions == nil {
		return nil
	}
	ref, argument := texts(s.object(1)), texts(s.object(2))
	request := mcp.CompleteRequest{}
	request.Params.Argument = mcp.CompleteArgument{Name: argument["name"], Value: argument["value"]}
	if ref["type"] == "ref/prompt" {
		request.Params.Ref = mcp.PromptReference{Type: ref["type"], Name: ref["name"]}
	} else {
		request.Params.Ref = mcp.ResourceReference{Type: ref["type"], URI: ref["uri"]}
	}
	_, err := d.client.Complete(ctx, request)
	return err
}

func (d *driver) act(ctx context.Context, s step) (err error) {
	switch s.word(0) {
	case "connect":
		return d.connect(ctx)
	case "list":
		return d.list(ctx, s.word(1))
	case "call":
		return d.call(ctx, s)
	case "read":
		_, err = d.client.ReadResource(ctx, mcp.ReadResourceRequest{Params: mcp.ReadResourceParams{URI: s.word(1)}})
	case "get":
		params := mcp.GetPromptParams{Name: s.word(1), Arguments: texts(s.object(2))}
		_, err = d.client.GetPrompt(ctx, mcp.GetPromptRequest{Params: params})
	case "complete":
		return d.complete(ctx, s)
	case "subscribe":
		if declared := d.client.GetServerCapabilities().Resources; declared == nil || !declared.Subscribe {
			return nil
		}
		if len(s) > 2 && s[2] == false {
			return d.client.Unsubscribe(ctx, mcp.UnsubscribeRequest{Params: mcp.UnsubscribeParams{URI: s.word(1)}})
		}
		return d.client.Subscribe(ctx, mcp.SubscribeRequest{Params: mcp.SubscribeParams{URI: s.word(1)}})
	case "cancel":
		if d.cancel != nil {
			d.cancel()
			time.Sleep(100 * time.Millisecond) // the cancellation leaves before the next step
		}
	case "answer":
		d.host.content = s.object(3)
	case "close":
		d.pending.Wait()
		return d.client.Close()
	}
	return err
}

func main() {
	var script []step
	if err := json.Unmarshal([]byte(os.Getenv("MCP_CONFORM_SCRIPT")), &script); err != nil {
		os.Exit(127)
	}
	known := map[string]bool{"connect": true, "list": true, "call": true, "read": true, "get": true, "complete": true,
		"subscribe": true, "cancel": true, "answer": true, "close": true}
	for _, s := range script {
		if !known[s.word(0)] {
			os.Exit(127)
		}
	}
	d := &driver{}
	for at, s := range script {
		err := d.act(context.Background(), s)
		line := map[string]any{"step": at + 1, "ok": err == nil}
		if err != nil {
			line["error"] = err.Error()
		}
		report, _ := json.Marshal(line)
		fmt.Println(string(report))
		if err != nil && s.word(0) == "connect" {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}
