//! A driver for the client of the Rust SDK: runs the script in MCP_CONFORM_SCRIPT (docs/clients.md), and prints a line for
//! each step.
#![allow(deprecated)] // sampling is deprecated in the newest revision

use std::{
    env,
    error::Error,
    process::exit,
    sync::{Arc, Mutex},
    time::Duration,
};

use rmcp::{
    ClientHandler, ClientLifecycleMode, ClientServiceExt, ErrorData, RoleClient,
    model::*,
    service::{RequestContext, RunningService},
    transport::{StreamableHttpClientTransport, TokioChildProcess},
};
use serde_json::{Value, json};
use tokio::{process::Command, task::JoinHandle};

type Problem = Box<dyn Error + Send + Sync>;

#[derive(Clone)]
struct Host {
    revision: ProtocolVersion,
    /// What the user enters; a step of the script changes it while the client is connected.
    content: Arc<Mutex<Value>>,
}

impl ClientHandler for Host {
    fn get_info(&self) -> ClientConfig {
        let capabilities: ClientCapabilities =
            serde_json::from_value(json!({ "sampling": {}, "elicitation": {} })).unwrap_or_default();
        let mut config = ClientConfig::new(capabilities, Implementation::new("matrix-rust-client", "1.0.0"));
        config.protocol_version = self.revision.clone();
        config
    }

    async fn create_message(
        &self,
        _: CreateMessageRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<CreateMessageResult, ErrorData> {
        let message = SamplingMessage::assistant_text("This is a test response from the client");
        Ok(CreateMessageResult::new(message, "test-model".into())
            .with_stop_reason(CreateMessageResult::STOP_REASON_END_TURN))
    }

    async fn create_elicitation(
        &self,
        _: ElicitRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let content = self.content.lock().map(|content| content.clone()).unwrap_or_default();
        serde_json::from_value(json!({ "action": "accept", "content": content }))
            .map_err(|error| ErrorData::internal_error(error.to_string(), None))
    }
}

#[derive(Default)]
struct Driver {
    service: Option<RunningService<RoleClient, Host>>,
    content: Arc<Mutex<Value>>,
    pending: Option<JoinHandle<()>>,
}

impl Driver {
    async fn connect(&mut self) -> Result<(), Problem> {
        let date = env::var("MCP_CONFORMANCE_PROTOCOL_VERSION")?;
        let revision: ProtocolVersion = serde_json::from_value(json!(date))?;
        let mode = if date.as_str() < "2026" {
            ClientLifecycleMode::Initialize
        } else {
            ClientLifecycleMode::Discover { preferred_versions: vec![revision.clone()] }
        };
        let host = Host { revision, content: self.content.clone() };
        self.service = Some(match env::var("MCP_CONFORM_COMMAND") {
            Ok(words) => {
                let words: Vec<String> = serde_json::from_str(&words)?;
                let mut command = Command::new(&words[0]);
                command.args(&words[1..]);
                host.serve_with_lifecycle(TokioChildProcess::new(command)?, mode).await?
            }
            Err(_) => {
                let url = env::var("MCP_CONFORM_URL")?;
                host.serve_with_lifecycle(StreamableHttpClientTransport::from_uri(url), mode).await?
            }
        });
        Ok(())
    }

    async fn act(&mut self, step: &[Value]) -> Result<(), Problem> {
        let verb = step[0].as_str().unwrap_or("");
        let word = |at: usize| step.get(at).and_then(Value::as_str).unwrap_or("").to_owned();
        let object = |at: usize| step.get(at).and_then(Value::as_object).cloned().unwrap_or_default();
        if verb == "connect" {
            return self.connect().await;
        }
        if verb == "answer" {
            *self.content.lock().map_err(|_| "The content is not available.")? =
                step.get(3).cloned().unwrap_or(json!({}));
            return Ok(());
        }
        let service = self.service.as_ref().ok_or("There is no connection.")?;
        let declared = serde_json::to_value(service.peer_info().as_deref())?["capabilities"].clone();
        match verb {
            "list" => match word(1).as_str() {
                "tools" if declared["tools"].is_object() => drop(service.list_all_tools().await?),
                "prompts" if declared["prompts"].is_object() => drop(service.list_all_prompts().await?),
                "resources" if declared["resources"].is_object() => drop(service.list_all_resources().await?),
                "templates" if declared["resources"].is_object() => drop(service.list_all_resource_templates().await?),
                _ => {}
            },
            "call" => {
                let params = CallToolRequestParams::new(word(1)).with_arguments(object(2));
                if object(3).get("wait") != Some(&json!(false)) {
                    service.call_tool(params).await?;
                } else {
                    let peer = service.peer().clone();
                    self.pending = Some(tokio::spawn(async move {
                        let _ = peer.call_tool_once(params).await;
                    }));
                    tokio::time::sleep(Duration::from_millis(100)).await; // the request leaves before the next step
                }
            }
            "read" => drop(service.read_resource(ReadResourceRequestParams::new(word(1))).await?),
            "get" => {
                let params = GetPromptRequestParams::new(word(1)).with_arguments(object(2));
                drop(service.get_prompt(params).await?);
            }
            "complete" if declared["completions"].is_object() => {
                let params = serde_json::from_value(json!({ "ref": step[1], "argument": step[2] }))?;
                drop(service.complete(params).await?);
            }
            "cancel" => {
                if let Some(call) = &self.pending {
                    call.abort(); // a request that is dropped is cancelled
                }
            }
            "subscribe" if declared["resources"]["subscribe"] == true => {
                let params = json!({ "uri": word(1) });
                if env::var("MCP_CONFORMANCE_PROTOCOL_VERSION")?.as_str() < "2026" {
                    if step.get(2) == Some(&json!(false)) {
                        service.unsubscribe(serde_json::from_value(params)?).await?;
                    } else {
                        service.subscribe(serde_json::from_value(params)?).await?;
                    }
                }
            }
            "close" => {
                if let Some(call) = self.pending.take() {
                    let _ = call.await;
                }
                if let Some(service) = self.service.take() {
                    service.cancel().await?;
                }
            }
            _ => {}
        }
        Ok(())
    }
}

#[tokio::main]
async fn main() {
    let text = env::var("MCP_CONFORM_SCRIPT").unwrap_or_default();
    let script: Vec<Vec<Value>> = serde_json::from_str(&text).unwrap_or_else(|_| exit(127));
    let verbs = ["connect", "list", "call", "read", "get", "complete", "subscribe", "cancel", "answer", "close"];
    let transport = env::var("MCP_CONFORM_TRANSPORT").unwrap_or_default();
    if transport == "http-sse" || script.iter().any(|step| !verbs.iter().any(|verb| step[0] == *verb)) {
        exit(127);
    }
    let mut driver = Driver::default();
    for (at, step) in script.iter().enumerate() {
        let done = driver.act(step).await;
        let error = done.err().map(|error| error.to_string());
        println!("{}", json!({ "step": at + 1, "ok": error.is_none(), "error": error }));
        if let Some(error) = error {
            eprintln!("{}: {error}", step[0]);
            if step[0] == "connect" {
                exit(1);
            }
        }
    }
}
