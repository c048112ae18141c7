//! A server on the Rust SDK with the fixtures of the matrix: over stdio, or over HTTP at /mcp of the port given as the
//! first argument.
#![allow(deprecated)] // sampling and logging are deprecated in the newest revision

use std::{sync::Arc, time::Duration};

use rmcp::{
    ErrorData, RoleServer, ServerHandler, ServiceExt,
    model::*,
    service::RequestContext,
    transport::{
        StreamableHttpServerConfig, StreamableHttpService, stdio,
        streamable_http_server::session::local::LocalSessionManager,
    },
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// A PNG of one pixel.
const PIXEL: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";

#[derive(Clone)]
struct Fixtures;

fn made<T: DeserializeOwned>(value: Value) -> Result<T, ErrorData> {
    serde_json::from_value(value).map_err(|error| ErrorData::internal_error(error.to_string(), None))
}

/// A result, complete in the sense of the newest revision; the SDK leaves the member out for older ones.
fn complete<T: DeserializeOwned>(mut value: Value) -> Result<T, ErrorData> {
    value["resultType"] = json!("complete");
    made(value)
}

fn tool(name: &str, description: &str, properties: Value, required: Value) -> Value {
    json!({ "name": name, "description": description,
        "inputSchema": { "type": "object", "properties": properties, "required": required } })
}

fn text(text: impl Into<String>) -> Value {
    json!({ "type": "text", "text": text.into() })
}

fn image() -> Value {
    json!({ "type": "image", "data": PIXEL, "mimeType": "image/png" })
}

fn resource(uri: &str, mime: &str, text: &str) -> Value {
    json!({ "type": "resource", "resource": { "uri": uri, "mimeType": mime, "text": text } })
}

fn says(content: Value) -> Result<CallToolResponse, ErrorData> {
    Ok(complete::<CallToolResult>(json!({ "content": content }))?.into())
}

fn asks(key: &str, request: Value) -> Result<CallToolResponse, ErrorData> {
    let requests: InputRequests = made(json!({ key: request }))?;
    Ok(InputRequiredResult::new(Some(requests), None).into())
}

impl Fixtures {
    async fn sample(
        &self,
        prompt: &str,
        answers: Value,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let params = json!({ "maxTokens": 100,
            "messages": [{ "role": "user", "content": { "type": "text", "text": prompt } }] });
        let answer = if let Some(answer) = answers.get("model") {
            answer.clone()
        } else if context.protocol_version() >= Some(ProtocolVersion::V_2026_07_28) {
            return asks("model", json!({ "method": "sampling/createMessage", "params": params }));
        } else {
            let reply = context.peer.create_message(made(params)?).await;
            let reply = reply.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
            serde_json::to_value(reply).unwrap_or_default()
        };
        let content = &answer["content"];
        let said = content["text"].as_str().or(content[0]["text"].as_str()).unwrap_or("");
        says(json!([text(format!("LLM response: {said}"))]))
    }

    async fn elicit(
        &self,
        message: &str,
        answers: Value,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let params = json!({ "mode": "form", "message": message, "requestedSchema": { "type": "object",
            "properties": { "username": { "type": "string" }, "email": { "type": "string" } },
            "required": ["username", "email"] } });
        let answer = if let Some(answer) = answers.get("user") {
            answer.clone()
        } else if context.protocol_version() >= Some(ProtocolVersion::V_2026_07_28) {
            return asks("user", json!({ "method": "elicitation/create", "params": params }));
        } else {
            let reply = context.peer.create_elicitation(made(params)?).await;
            let reply = reply.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
            serde_json::to_value(reply).unwrap_or_default()
        };
        let action = answer["action"].as_str().unwrap_or("");
        let user = answer["content"]["username"].as_str().unwrap_or("");
        says(json!([text(format!("User response: {action}, {user}"))]))
    }
}

impl ServerHandler for Fixtures {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(
            ServerCapabilities::builder()
                .enable_tools()
                .enable_resources()
                .enable_prompts()
                .enable_completions()
                .enable_logging()
                .build(),
        )
        .with_server_info(Implementation::new("matrix-rust", "1.0.0"))
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        complete(json!({ "tools": [
            tool("test_simple_text", "Returns a text.", json!({}), json!([])),
            tool("test_image_content", "Returns an image.", json!({}), json!([])),
            tool("test_embedded_resource", "Returns a resource.", json!({}), json!([])),
            tool("test_multiple_content_types", "Returns a text, an image and a resource.", json!({}), json!([])),
            tool("test_error_handling", "Fails.", json!({}), json!([])),
            { "name": "test_structured_content", "description": "Returns structured content.",
              "inputSchema": { "type": "object" },
              "outputSchema": { "type": "object", "required": ["temperature", "conditions"],
                "properties": { "temperature": { "type": "number" }, "conditions": { "type": "string" } } } },
            tool("test_tool_with_progress", "Reports progress.", json!({}), json!([])),
            tool("test_tool_with_logging", "Logs.", json!({}), json!([])),
            tool("test_sampling", "Asks the model of the client.", json!({ "prompt": { "type": "string" } }), json!(["prompt"])),
            tool("test_elicitation", "Asks the user of the client.", json!({ "message": { "type": "string" } }), json!(["message"])),
            tool("test_slow", "Works for a while.", json!({ "durationMs": { "type": "integer" } }), json!([])),
        ] }))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let asked = serde_json::to_value(&request).unwrap_or_default();
        let word = |name: &str| asked["arguments"][name].as_str().unwrap_or("").to_owned();
        let answers = asked.get("inputResponses").cloned().unwrap_or_default();
        match request.name.as_ref() {
            "test_simple_text" => says(json!([text("This is a simple text response for testing.")])),
            "test_image_content" => says(json!([image()])),
            "test_embedded_resource" => says(json!([resource(
                "test://embedded-resource",
                "text/plain",
                "This is an embedded resource content."
            )])),
            "test_multiple_content_types" => says(json!([
                text("Multiple content types test:"),
                image(),
                resource("test://mixed-content-resource", "application/json", r#"{"test":"data","value":123}"#)
            ])),
            "test_error_handling" => Ok(complete::<CallToolResult>(json!({ "isError": true,
                "content": [text("This tool intentionally returns an error for testing")] }))?
            .into()),
            "test_structured_content" => Ok(complete::<CallToolResult>(json!({
                "structuredContent": { "temperature": 22.5, "conditions": "Partly cloudy" },
                "content": [text(r#"{"temperature":22.5,"conditions":"Partly cloudy"}"#)] }))?
            .into()),
            "test_tool_with_progress" => {
                if let Some(token) = context.meta.get_progress_token() {
                    for done in [0.0, 50.0, 100.0] {
                        let params = ProgressNotificationParam::new(token.clone(), done).with_total(100.0);
                        let _ = context.peer.notify_progress(params).await;
                    }
                }
                says(json!([text("Progress is complete.")]))
            }
            "test_tool_with_logging" => {
                // the newest revision has log messages only for requests that ask for them
                let is_stateless = context.protocol_version() >= Some(ProtocolVersion::V_2026_07_28);
                let meta = serde_json::to_value(&context.meta).unwrap_or_default();
                let wanted = !is_stateless || meta.get("io.modelcontextprotocol/logLevel").is_some();
                let lines = ["Tool execution started", "Tool processing data", "Tool execution completed"];
                for line in lines.iter().filter(|_| wanted) {
                    let params = LoggingMessageNotificationParam::new(LoggingLevel::Info, json!(line));
                    let _ = context.peer.notify_logging_message(params).await;
                }
                says(json!([text("Logging is complete.")]))
            }
            "test_sampling" => self.sample(&word("prompt"), answers, context).await,
            "test_elicitation" => self.elicit(&word("message"), answers, context).await,
            "test_slow" => {
                let ms = asked["arguments"]["durationMs"].as_u64().unwrap_or(1000);
                tokio::select! {
                    () = context.ct.cancelled() => Err(ErrorData::internal_error("cancelled", None)),
                    () = tokio::time::sleep(Duration::from_millis(ms)) => says(json!([text("Done.")])),
                }
            }
            name => Err(ErrorData::invalid_params(format!("There is no tool {name}."), None)),
        }
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        complete(json!({ "resources": [
            { "uri": "test://static-text", "name": "static-text", "mimeType": "text/plain" },
            { "uri": "test://static-binary", "name": "static-binary", "mimeType": "image/png" },
        ] }))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        complete(json!({ "resourceTemplates": [
            { "uriTemplate": "test://template/{id}/data", "name": "template", "mimeType": "application/json" },
        ] }))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let uri = request.uri.as_str();
        let contents = match uri {
            "test://static-text" => json!({ "uri": uri, "mimeType": "text/plain",
                "text": "This is the content of the static text resource." }),
            "test://static-binary" => json!({ "uri": uri, "mimeType": "image/png", "blob": PIXEL }),
            _ => match uri.strip_prefix("test://template/").and_then(|rest| rest.strip_suffix("/data")) {
                Some(id) => json!({ "uri": uri, "mimeType": "application/json",
                    "text": format!(r#"{{"id":"{id}","templateTest":true,"data":"Data for ID: {id}"}}"#) }),
                None => return Err(ErrorData::resource_not_found("There is no such resource.", Some(json!({ "uri": uri })))),
            },
        };
        Ok(complete::<ReadResourceResult>(json!({ "contents": [contents] }))?.into())
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        complete(json!({ "prompts": [
            { "name": "test_simple_prompt", "description": "A text." },
            { "name": "test_prompt_with_arguments", "description": "Repeats its arguments.",
              "arguments": [{ "name": "arg1", "required": true }, { "name": "arg2", "required": true }] },
            { "name": "test_prompt_with_embedded_resource", "description": "Contains a resource.",
              "arguments": [{ "name": "resourceUri", "required": true }] },
        ] }))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let asked = serde_json::to_value(&request).unwrap_or_default();
        let word = |name: &str| asked["arguments"][name].as_str().unwrap_or("").to_owned();
        let content = match asked["name"].as_str().unwrap_or("") {
            "test_simple_prompt" => text("This is a simple prompt for testing."),
            "test_prompt_with_arguments" => text(format!(
                "Prompt with arguments: arg1='{}', arg2='{}'",
                word("arg1"),
                word("arg2")
            )),
            "test_prompt_with_embedded_resource" => {
                resource(&word("resourceUri"), "text/plain", "Embedded resource content for testing.")
            }
            name => return Err(ErrorData::invalid_params(format!("There is no prompt {name}."), None)),
        };
        let result: GetPromptResult = complete(json!({ "messages": [{ "role": "user", "content": content }] }))?;
        Ok(result.into())
    }

    async fn complete(
        &self,
        _: CompleteRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        complete(json!({ "completion": { "values": ["testValue1"], "total": 1, "hasMore": false } }))
    }

    async fn set_level(&self, _: SetLevelRequestParams, _: RequestContext<RoleServer>) -> Result<(), ErrorData> {
        Ok(())
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let Some(port) = std::env::args().nth(1) else {
        Fixtures.serve(stdio()).await?.waiting().await?;
        return Ok(());
    };
    let service = StreamableHttpService::new(
        || Ok(Fixtures),
        Arc::new(LocalSessionManager::default()),
        StreamableHttpServerConfig::default(),
    );
    let listener = tokio::net::TcpListener::bind(format!("127.0.0.1:{port}")).await?;
    axum::serve(listener, axum::Router::new().nest_service("/mcp", service)).await?;
    Ok(())
}
