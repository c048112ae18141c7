//! The least client of rmcp: lists tools and calls each. The first argument is its mode: initialize, discover or auto; the last
//! one is a URL, unless MCP_CONFORM_COMMAND names a command.

use rmcp::{
    model::{CallToolRequestParams, ClientConfig, ClientCapabilities, Implementation, ProtocolVersion},
    transport::{StreamableHttpClientTransport, TokioChildProcess},
    ClientLifecycleMode, ClientServiceExt,
};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mode = std::env::args().nth(1).unwrap_or_default();
    let preferred_versions = vec![ProtocolVersion::V_2026_07_28];
    let lifecycle = match mode.as_str() {
        "initialize" => ClientLifecycleMode::Initialize,
        "discover" => ClientLifecycleMode::Discover { preferred_versions },
        _ => ClientLifecycleMode::Auto { preferred_versions, legacy_version: None },
    };
    let info = ClientConfig::new(ClientCapabilities::default(), Implementation::new("rmcp-client", "1.0.0"));
    let client = if let Ok(command) = std::env::var("MCP_CONFORM_COMMAND") {
        let words: Vec<String> = serde_json::from_str(&command)?;
        let mut process = tokio::process::Command::new(&words[0]);
        process.args(&words[1..]);
        info.serve_with_lifecycle(TokioChildProcess::new(process)?, lifecycle).await?
    } else {
        let url = std::env::args().last().unwrap_or_default();
        info.serve_with_lifecycle(StreamableHttpClientTransport::from_uri(url), lifecycle).await?
    };
    for tool in client.list_all_tools().await?.into_iter().take(3) {
        let _ = client.call_tool(CallToolRequestParams::new(tool.name)).await;
    }
    client.cancel().await?;
    Ok(())
}
