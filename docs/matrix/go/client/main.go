// A driver for the client of the Go SDK: runs the script in MCP_CONFORM_SCRIPT (docs/clients.md), and prints a line for
// each step.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
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

type driver struct {
	session *mcp.ClientSession
	cancel  context.CancelFunc
	pending sync.WaitGroup
	content map[string]any
}

func transport() mcp.Transport {
	if command := os.Getenv("MCP_CONFORM_COMMAND"); command != "" {
		var words []string
		json.Unmarshal([]byte(command), &words)
		return &mcp.CommandTransport{Command: exec.Command(words[0], words[1:]...)}
	}
	url := os.Getenv("MCP_CONFORM_URL")
	if os.Getenv("MCP_CONFORM_TRANSPORT") == "http-sse" {
		return &mcp.SSEClientTransport{Endpoint: url}
	}
	return &mcp.StreamableClientTransport{Endpoint: url}
}

func (d *driver) connect(ctx context.Context) (err error) {
	client := mcp.NewClient(&mcp.Implementation{Name: "matrix-go-client", Version: "1.0.0"}, &mcp.ClientOptions{
		CreateMessageHandler: func(context.Context, *mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
			return &mcp.CreateMessageResult{Role: "assistant", Model: "test-model", StopReason: "endTurn",
				Content: &mcp.TextContent{Text: "This is a test response from the client"}}, nil
		},
		ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: "accept", Content: d.content}, nil
		},
	})
	options := &mcp.ClientSessionOptions{ProtocolVersion: os.Getenv("MCP_CONFORMANCE_PROTOCOL_VERSION")}
	d.session, err = client.Connect(ctx, transport(), options)
	return err
}

func (d *driver) list(ctx context.Context, what string) error {
	declared := d.session.InitializeResult().Capabilities
	switch {
	case what == "tools" && declared.Tools != nil:
		for _, err := range d.session.Tools(ctx, nil) {
			if err != nil {
				return err
			}
		}
	case what == "prompts" && declared.Prompts != nil:
		for _, err := range d.session.Prompts(ctx, nil) {
			if err != nil {
				return err
			}
		}
	case what == "resources" && declared.Resources != nil:
		for _, err := range d.session.Resources(ctx, nil) {
			if err != nil {
				return err
			}
		}
	case what == "templates" && declared.Resources != nil:
		for _, err := range d.session.ResourceTemplates(ctx, nil) {
			if err != nil {
				return err
			}
		}
	}
	return nil
}

func (d *driver) call(ctx context.Context, s step) error {
	params := &mcp.CallToolParams{Name: s.word(1), Arguments: s.object(2)}
	if s.object(3)["progress"] == true {
		params.SetProgressToken("progress-1")
	}
	if s.object(3)["wait"] != false {
		_, err := d.session.CallTool(ctx, params)
		return err
	}
	ctx, d.cancel = context.WithCancel(ctx)
	d.pending.Add(1)
	go func() {
		defer d.pending.Done()
		d.session.CallTool(ctx, params)
	}()
	time.Sleep(100 * time.Millisecond) // the request leaves before the next step
	return nil
}

func (d *driver) act(ctx context.Context, s step) error {
	declared := func() *mcp.ServerCapabilities { return d.session.InitializeResult().Capabilities }
	var err error
	switch s.word(0) {
	case "connect":
		return d.connect(ctx)
	case "list":
		return d.list(ctx, s.word(1))
	case "call":
		return d.call(ctx, s)
	case "read":
		_, err = d.session.ReadResource(ctx, &mcp.ReadResourceParams{URI: s.word(1)})
	case "get":
		_, err = d.session.GetPrompt(ctx, &mcp.GetPromptParams{Name: s.word(1), Arguments: texts(s.object(2))})
	case "complete":
		if declared().Completions == nil {
			return nil
		}
		ref, argument := texts(s.object(1)), texts(s.object(2))
		_, err = d.session.Complete(ctx, &mcp.CompleteParams{
			Ref:      &mcp.CompleteReference{Type: ref["type"], Name: ref["name"], URI: ref["uri"]},
			Argument: mcp.CompleteParamsArgument{Name: argument["name"], Value: argument["value"]},
		})
	case "subscribe":
		if declared().Resources == nil || !declared().Resources.Subscribe {
			return nil
		}
		if len(s) > 2 && s[2] == false {
			return d.session.Unsubscribe(ctx, &mcp.UnsubscribeParams{URI: s.word(1)})
		}
		return d.session.Subscribe(ctx, &mcp.SubscribeParams{URI: s.word(1)})
	case "cancel":
		if d.cancel != nil {
			d.cancel()
			time.Sleep(100 * time.Millisecond) // the cancellation leaves before the next step
		}
	case "answer":
		d.content = s.object(3)
	case "close":
		d.pending.Wait()
		return d.session.Close()
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
			fmt.Fprintln(os.Stderr, errors.Unwrap(err), err)
			os.Exit(1)
		}
	}
}
