import io.modelcontextprotocol.json.McpJsonDefaults;
import io.modelcontextprotocol.server.McpServer;
import io.modelcontextprotocol.server.McpServer.SyncSpecification;
import io.modelcontextprotocol.server.McpServerFeatures.SyncCompletionSpecification;
import io.modelcontextprotocol.server.McpServerFeatures.SyncPromptSpecification;
import io.modelcontextprotocol.server.McpServerFeatures.SyncResourceSpecification;
import io.modelcontextprotocol.server.McpServerFeatures.SyncResourceTemplateSpecification;
import io.modelcontextprotocol.server.McpSyncServerExchange;
import io.modelcontextprotocol.server.transport.HttpServletSseServerTransportProvider;
import io.modelcontextprotocol.server.transport.HttpServletStreamableServerTransportProvider;
import io.modelcontextprotocol.server.transport.StdioServerTransportProvider;
import io.modelcontextprotocol.spec.McpSchema.*;
import jakarta.servlet.http.HttpServlet;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.apache.catalina.Context;
import org.apache.catalina.Wrapper;
import org.apache.catalina.startup.Tomcat;

/** A server on the Java SDK with the fixtures of the matrix: over stdio, or over HTTP at the port of the first argument. */
public final class MatrixServer {
  /** A PNG of one pixel. */
  private static final String PIXEL =
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";

  private static final Map<String, Object> TEXT = Map.of("type", "string");

  private static Content text(String text) {
    return new TextContent(text);
  }

  private static Content embedded(String uri, String mime, String body) {
    return new EmbeddedResource(null, new TextResourceContents(uri, mime, body));
  }

  private static CallToolResult says(Content... content) {
    return new CallToolResult.Builder().content(List.of(content)).build();
  }

  private static void tool(
      SyncSpecification<?> server,
      String name,
      String description,
      Map<String, Object> properties,
      BiFunction<McpSyncServerExchange, CallToolRequest, CallToolResult> run) {
    Map<String, Object> schema = Map.of("type", "object", "properties", properties);
    server.toolCall(new Tool.Builder().name(name).description(description).inputSchema(schema).build(), run);
  }

  private static void tools(SyncSpecification<?> server) {
    Content image = new ImageContent(null, PIXEL, "image/png");
    Map<String, Object> none = Map.of();
    tool(server, "test_simple_text", "Returns a text.", none,
        (e, r) -> says(text("This is a simple text response for testing.")));
    tool(server, "test_image_content", "Returns an image.", none, (e, r) -> says(image));
    tool(server, "test_embedded_resource", "Returns a resource.", none,
        (e, r) -> says(embedded("test://embedded-resource", "text/plain", "This is an embedded resource content.")));
    tool(server, "test_multiple_content_types", "Returns a text, an image and a resource.", none,
        (e, r) -> says(text("Multiple content types test:"), image,
            embedded("test://mixed-content-resource", "application/json", "{\"test\":\"data\",\"value\":123}")));
    tool(server, "test_error_handling", "Fails.", none,
        (e, r) -> new CallToolResult.Builder()
            .addTextContent("This tool intentionally returns an error for testing").isError(true).build());
    Map<String, Object> weather = Map.of("type", "object", "required", List.of("temperature", "conditions"),
        "properties", Map.of("temperature", Map.of("type", "number"), "conditions", TEXT));
    server.toolCall(
        new Tool.Builder().name("test_structured_content").description("Returns structured content.")
            .inputSchema(Map.of("type", "object")).outputSchema(weather).build(),
        (e, r) -> new CallToolResult.Builder()
            .structuredContent(Map.of("temperature", 22.5, "conditions", "Partly cloudy")).build());
    tool(server, "test_tool_with_progress", "Reports progress.", none, (e, r) -> {
      Object token = r.meta() == null ? null : r.meta().get("progressToken");
      for (double done : new double[] {0, 50, 100}) {
        if (token != null) e.progressNotification(new ProgressNotification(token, done, 100.0, null));
      }
      return says(text("Progress is complete."));
    });
    tool(server, "test_tool_with_logging", "Logs.", none, (e, r) -> {
      for (String line : List.of("Tool execution started", "Tool processing data", "Tool execution completed")) {
        e.loggingNotification(new LoggingMessageNotification(LoggingLevel.INFO, "matrix", line));
      }
      return says(text("Logging is complete."));
    });
    tool(server, "test_sampling", "Asks the model of the client.", Map.of("prompt", TEXT), (e, r) -> {
      SamplingMessage ask = new SamplingMessage(Role.USER, text(String.valueOf(r.arguments().get("prompt"))));
      CreateMessageResult reply = e.createMessage(CreateMessageRequest.builder(List.of(ask), 100).build());
      return says(text("LLM response: " + ((TextContent) reply.content()).text()));
    });
    tool(server, "test_elicitation", "Asks the user of the client.", Map.of("message", TEXT), (e, r) -> {
      Map<String, Object> form = Map.of("type", "object", "required", List.of("username", "email"),
          "properties", Map.of("username", TEXT, "email", TEXT));
      ElicitResult reply = e.createElicitation(
          ElicitRequest.builder(String.valueOf(r.arguments().get("message")), form).build());
      return says(text("User response: " + reply.action() + ", " + reply.content()));
    });
    tool(server, "test_slow", "Works for a while.", Map.of("durationMs", Map.of("type", "integer")), (e, r) -> {
      try {
        Thread.sleep(((Number) r.arguments().getOrDefault("durationMs", 0)).longValue());
      } catch (InterruptedException interrupted) {
        Thread.currentThread().interrupt();
      }
      return says(text("Done."));
    });
  }

  private static void resource(SyncSpecification<?> server, String name, String mime, ResourceContents contents) {
    Resource resource = Resource.builder().uri("test://" + name).name(name).mimeType(mime).build();
    server.resources(
        new SyncResourceSpecification(resource, (e, r) -> new ReadResourceResult(List.of(contents))));
  }

  private static void resources(SyncSpecification<?> server) {
    resource(server, "static-text", "text/plain", new TextResourceContents(
        "test://static-text", "text/plain", "This is the content of the static text resource."));
    resource(server, "static-binary", "image/png",
        new BlobResourceContents("test://static-binary", "image/png", PIXEL));
    resource(server, "watched-resource", "text/plain", new TextResourceContents(
        "test://watched-resource", "text/plain", "This is the watched resource."));
    ResourceTemplate template = ResourceTemplate.builder()
        .uriTemplate("test://template/{id}/data").name("template").mimeType("application/json").build();
    server.resourceTemplates(new SyncResourceTemplateSpecification(template, (e, r) -> {
      String id = r.uri().replaceAll("test://template/|/data", "");
      String body = "{\"id\":\"%s\",\"templateTest\":true,\"data\":\"Data for ID: %s\"}".formatted(id, id);
      return new ReadResourceResult(List.of(new TextResourceContents(r.uri(), "application/json", body)));
    }));
  }

  private static void prompt(
      SyncSpecification<?> server, String name, List<String> names, Function<Map<String, Object>, Content> make) {
    List<PromptArgument> arguments = names.stream().map(n -> new PromptArgument(n, null, true)).toList();
    server.prompts(new SyncPromptSpecification(
        new Prompt(name, "A prompt for tests.", arguments),
        (e, r) -> new GetPromptResult(null, List.of(new PromptMessage(Role.USER, make.apply(r.arguments()))))));
  }

  private static void prompts(SyncSpecification<?> server) {
    prompt(server, "test_simple_prompt", List.of(), a -> text("This is a simple prompt for testing."));
    prompt(server, "test_prompt_with_arguments", List.of("arg1", "arg2"),
        a -> text("Prompt with arguments: arg1='%s', arg2='%s'".formatted(a.get("arg1"), a.get("arg2"))));
    prompt(server, "test_prompt_with_embedded_resource", List.of("resourceUri"), a -> embedded(
        String.valueOf(a.get("resourceUri")), "text/plain", "Embedded resource content for testing."));
    CompleteResult values =
        new CompleteResult(new CompleteResult.CompleteCompletion(List.of("testValue1"), 1, false));
    server.completions(
        new SyncCompletionSpecification(new PromptReference("test_prompt_with_arguments"), (e, r) -> values),
        new SyncCompletionSpecification(new ResourceReference("test://template/{id}/data"), (e, r) -> values));
  }

  private static void serve(SyncSpecification<?> server) {
    server.serverInfo("matrix-java", "1.0.0").capabilities(new ServerCapabilities.Builder()
        .tools(true).resources(true, true).prompts(true).completions().logging().build());
    tools(server);
    resources(server);
    prompts(server);
    server.build();
  }

  public static void main(String[] args) throws Exception {
    if (args.length == 0) {
      serve(McpServer.sync(new StdioServerTransportProvider(McpJsonDefaults.getMapper())));
      return;
    }
    HttpServletStreamableServerTransportProvider streamable =
        new HttpServletStreamableServerTransportProvider.Builder().mcpEndpoint("/mcp").build();
    HttpServletSseServerTransportProvider sse = new HttpServletSseServerTransportProvider.Builder()
        .sseEndpoint("/sse").messageEndpoint("/message").build();
    serve(McpServer.sync(streamable));
    serve(McpServer.sync(sse));
    Tomcat tomcat = new Tomcat();
    tomcat.setBaseDir(System.getProperty("java.io.tmpdir"));
    tomcat.setHostname("127.0.0.1");
    tomcat.setPort(Integer.parseInt(args[0]));
    tomcat.getConnector().setProperty("address", "127.0.0.1");
    Context context = tomcat.addContext("", null);
    Map<String, HttpServlet> servlets = Map.of("/mcp", streamable, "/sse", sse, "/message", sse);
    servlets.forEach((path, servlet) -> {
      Wrapper wrapper = Tomcat.addServlet(context, path, servlet);
      wrapper.setAsyncSupported(true);
      context.addServletMappingDecoded(path, path);
    });
    tomcat.start();
    tomcat.getServer().await();
  }
}
