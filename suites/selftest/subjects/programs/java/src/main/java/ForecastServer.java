import io.modelcontextprotocol.json.McpJsonDefaults;
import io.modelcontextprotocol.server.McpServer;
import io.modelcontextprotocol.server.McpServerFeatures.SyncToolSpecification;
import io.modelcontextprotocol.server.transport.StdioServerTransportProvider;
import io.modelcontextprotocol.spec.McpSchema;
import java.util.List;
import java.util.Map;

/** The least server of the Java SDK: one tool that only reads. */
public final class ForecastServer {
  public static void main(String[] args) {
    Map<String, Object> city = Map.of("type", "string");
    McpSchema.Tool tool =
        new McpSchema.Tool.Builder()
            .name("forecast")
            .description("Returns the forecast for a city.")
            .inputSchema(
                Map.of("type", "object", "properties", Map.of("city", city), "required", List.of("city")))
            .annotations(new McpSchema.ToolAnnotations("Forecast", true, false, true, false, false))
            .build();
    McpServer.sync(new StdioServerTransportProvider(McpJsonDefaults.getMapper()))
        .serverInfo("forecast", "1.0.0")
        .capabilities(new McpSchema.ServerCapabilities.Builder().tools(false).build())
        .tools(
            new SyncToolSpecification.Builder()
                .tool(tool)
                .callHandler(
                    (exchange, request) ->
                        new McpSchema.CallToolResult.Builder()
                            .addTextContent("Rain in " + request.arguments().get("city") + ".")
                            .build())
                .build())
        .build();
  }
}
