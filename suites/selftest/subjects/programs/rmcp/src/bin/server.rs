//! The least server of rmcp: two tools, a resource and a prompt; with a port over HTTP.

use rmcp::{
    handler::server::{
        router::prompt::PromptRouter,
        tool::{InputResponses as Answers, RequestState},
        wrapper::{Json, Parameters},
    },
    model::*,
    prompt, prompt_handler, prompt_router,
    service::{RequestContext, RoleServer},
    tool, tool_handler, tool_router,
    transport::{
        stdio,
        streamable_http_server::{
            session::local::LocalSessionManager, StreamableHttpServerConfig, StreamableHttpService,
        },
    },
    ErrorData, ServerHandler, ServiceExt,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

#[derive(Deserialize, JsonSchema)]
struct Celsius {
    celsius: f64,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Fahrenheit {
    fahrenheit: f64,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Place {
    city: String,
}

#[derive(Clone)]
struct Forecast {
    prompt_router: PromptRouter<Self>,
}

#[tool_router]
impl Forecast {
    /// Converts degrees Celsius to degrees Fahrenheit.
    #[tool(annotations(read_only_hint = true))]
    async fn convert(&self, Parameters(Celsius { celsius }): Parameters<Celsius>) -> Json<Fahrenheit> {
        Json(Fahrenheit { fahrenheit: celsius * 9.0 / 5.0 + 32.0 })
    }

    /// Greets the user, whose name it asks for.
    #[tool(annotations(read_only_hint = true))]
    async fn greet(
        &self,
        RequestState(state): RequestState,
        Answers(answers): Answers,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let name = answers.as_ref().and_then(|all| all.get("name"));
        if let (Some("asked"), Some(answer)) = (state.as_deref(), name) {
            let text = format!("Hello, {}.", answer["content"]["name"].as_str().unwrap_or("stranger"));
            return Ok(CallToolResult::success(vec![ContentBlock::text(text)]).into());
        }
        if context.client_capabilities().is_none_or(|declared| declared.elicitation.is_none()) {
            let needed = ClientCapabilities::builder().enable_elicitation().build();
            return Err(ErrorData::missing_required_client_capability(needed));
        }
        let schema = json!({ "type": "object", "properties": { "name": { "type": "string" } }, "required": ["name"] });
        let question = ElicitRequest::new(ElicitRequestParams::FormElicitationParams {
            meta: None,
            message: "Your name?".into(),
            requested_schema: serde_json::from_value(schema).expect("a schema"),
        });
        let mut questions = InputRequests::new();
        questions.insert("name".into(), InputRequest::Elicitation(question));
        Ok(InputRequiredResult::new(Some(questions), Some("asked".into())).into())
    }
}

#[prompt_router]
impl Forecast {
    fn new() -> Self {
        Self { prompt_router: Self::prompt_router() }
    }

    /// Asks for the forecast of a city.
    #[prompt]
    async fn ask(&self, Parameters(Place { city }): Parameters<Place>) -> Vec<PromptMessage> {
        vec![PromptMessage::new_text(Role::User, format!("What is the forecast for {city}?"))]
    }
}

#[tool_handler]
#[prompt_handler(router = self.prompt_router)]
impl ServerHandler for Forecast {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_prompts()
            .enable_resources()
            .build();
        ServerConfig::new(capabilities).with_server_info(Implementation::new("forecast", "1.0.0"))
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(ListResourcesResult::with_all_items(vec![Resource::new("forecast://today", "today")]))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        if request.uri != "forecast://today" {
            return Err(ErrorData::resource_not_found("There is no such resource.", None));
        }
        Ok(ReadResourceResult::new(vec![ResourceContents::text("Rain.", request.uri)]).into())
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let Some(port) = std::env::args().nth(1) else {
        Forecast::new().serve(stdio()).await?.waiting().await?;
        return Ok(());
    };
    let service: StreamableHttpService<Forecast, LocalSessionManager> = StreamableHttpService::new(
        || Ok(Forecast::new()),
        Default::default(),
        StreamableHttpServerConfig::default(),
    );
    let listener = tokio::net::TcpListener::bind(format!("127.0.0.1:{port}")).await?;
    axum::serve(listener, axum::Router::new().nest_service("/mcp", service)).await?;
    Ok(())
}
