//! The least server of rmcp with the tasks extension: tools that work for some time, fail, or ask questions.

use rmcp::{
    model::*,
    service::{RequestContext, RoleServer},
    task_manager::{TaskContext, TaskExit, TaskManager, TaskOptions},
    transport::stdio,
    ErrorData, ServerHandler, ServiceExt,
};
use serde_json::{json, Value};
use std::time::Duration;

#[derive(Clone, Default)]
struct Worker {
    tasks: TaskManager,
}

fn says(text: impl Into<String>) -> CallToolResult {
    CallToolResult::success(vec![ContentBlock::text(text)])
}

fn question(message: &str) -> InputRequest {
    let schema = json!({ "type": "object", "properties": { "name": { "type": "string" } }, "required": ["name"] });
    InputRequest::Elicitation(ElicitRequest::new(ElicitRequestParams::FormElicitationParams {
        meta: None,
        message: message.into(),
        requested_schema: serde_json::from_value(schema).expect("a schema"),
    }))
}

/// The work of a call, in a task or without one.
async fn work(arguments: Value) -> Result<CallToolResult, ErrorData> {
    tokio::time::sleep(Duration::from_millis(arguments["durationMs"].as_u64().unwrap_or(0))).await;
    match arguments["outcome"].as_str() {
        Some("tool-error") => Ok(CallToolResult::error(vec![ContentBlock::text("The work failed.")])),
        Some("protocol-error") => Err(ErrorData::internal_error("The work broke down.", None)),
        _ => Ok(says("Done.")),
    }
}

async fn perform(name: String, arguments: Value, task: TaskContext) -> Result<CallToolResult, TaskExit> {
    match name.as_str() {
        "test_task_input" => {
            let answer = task.request_input("name", question("Your name?")).await?;
            Ok(says(format!("Answer: {}.", answer["action"])))
        }
        "test_task_two_inputs" => {
            let (one, other) = tokio::join!(
                task.request_input("name", question("Your name?")),
                task.request_input("place", question("Your city?")),
            );
            Ok(says(format!("Answers: {}, {}.", one?["action"], other?["action"])))
        }
        _ => tokio::select! {
            _ = task.cancelled() => Err(TaskExit::Cancelled),
            done = work(arguments) => Ok(done?),
        },
    }
}

impl ServerHandler for Worker {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().enable_tasks().build())
            .with_server_info(Implementation::new("worker", "1.0.0"))
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tool = |name: &str, properties: Value| {
            serde_json::from_value(json!({
                "name": name,
                "description": "Works in a task.",
                "inputSchema": { "type": "object", "properties": properties },
                "annotations": { "readOnlyHint": true },
            }))
            .expect("a tool")
        };
        Ok(ListToolsResult::with_all_items(vec![
            tool("test_task", json!({ "durationMs": { "type": "integer", "minimum": 0 }, "outcome": { "type": "string" } })),
            tool("test_task_input", json!({ "message": { "type": "string" } })),
            tool("test_task_two_inputs", json!({})),
        ]))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let name = request.name.to_string();
        if !["test_task", "test_task_input", "test_task_two_inputs"].contains(&name.as_str()) {
            return Err(ErrorData::invalid_params("There is no such tool.", None));
        }
        let arguments = Value::Object(request.arguments.unwrap_or_default());
        if context.client_capabilities().is_some_and(|declared| declared.supports_tasks()) {
            let options = TaskOptions::new().with_poll_interval_ms(10);
            let task = self.tasks.spawn(options, move |task| Box::pin(perform(name, arguments, task)));
            return Ok(CallToolResponse::Task(CreateTaskResult::new(task)));
        }
        if name != "test_task" {
            let needed = ClientCapabilities::builder().enable_tasks().build();
            return Err(ErrorData::missing_required_client_capability(needed));
        }
        Ok(work(arguments).await?.into())
    }

    async fn get_task(
        &self,
        request: GetTaskParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        Ok(GetTaskResult::new(self.tasks.get_task(&request.task_id)?))
    }

    async fn update_task(
        &self,
        request: UpdateTaskParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.tasks.update_task(&request.task_id, request.input_responses)
    }

    async fn cancel_task(
        &self,
        request: CancelTaskParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.tasks.cancel_task(&request.task_id)
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    Worker::default().serve(stdio()).await?.waiting().await?;
    Ok(())
}
