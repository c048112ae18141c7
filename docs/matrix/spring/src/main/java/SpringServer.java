import io.modelcontextprotocol.spec.McpSchema.*;
import java.util.List;
import java.util.Map;
import org.springframework.ai.mcp.annotation.McpArg;
import org.springframework.ai.mcp.annotation.McpComplete;
import org.springframework.ai.mcp.annotation.McpPrompt;
import org.springframework.ai.mcp.annotation.McpResource;
import org.springframework.ai.mcp.annotation.McpTool;
import org.springframework.ai.mcp.annotation.context.McpSyncRequestContext;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Configuration;

/** A server on Spring AI with the fixtures of the matrix: over stdio; with `http <port>` or `sse <port>` over HTTP. */
@Configuration
@EnableAutoConfiguration
@Import({SpringServer.Tools.class, SpringServer.Resources.class, SpringServer.Prompts.class})
public class SpringServer {
  /** A PNG of one pixel. */
  private static final String PIXEL =
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";

  private static Content text(String text) {
    return new TextContent(text);
  }

  private static Content embedded(String uri, String mime, String body) {
    return new EmbeddedResource(null, new TextResourceContents(uri, mime, body));
  }

  private static CallToolResult says(Content... content) {
    return new CallToolResult.Builder().content(List.of(content)).build();
  }

  record Weather(double temperature, String conditions) {}

  record User(String username, String email) {}

  public static class Tools {
    @McpTool(name = "test_simple_text", description = "Returns a text.")
    public String simpleText() {
      return "This is a simple text response for testing.";
    }

    @McpTool(name = "test_image_content", description = "Returns an image.")
    public CallToolResult image() {
      return says(new ImageContent(null, PIXEL, "image/png"));
    }

    @McpTool(name = "test_embedded_resource", description = "Returns a resource.")
    public CallToolResult resource() {
      return says(embedded("test://embedded-resource", "text/plain", "This is an embedded resource content."));
    }

    @McpTool(name = "test_multiple_content_types", description = "Returns a text, an image and a resource.")
    public CallToolResult several() {
      return says(text("Multiple content types test:"), new ImageContent(null, PIXEL, "image/png"),
          embedded("test://mixed-content-resource", "application/json", "{\"test\":\"data\",\"value\":123}"));
    }

    @McpTool(name = "test_error_handling", description = "Fails.")
    public String fails() {
      throw new IllegalStateException("This tool intentionally returns an error for testing");
    }

    @McpTool(name = "test_structured_content", description = "Returns structured content.", generateOutputSchema = true)
    public Weather structured() {
      return new Weather(22.5, "Partly cloudy");
    }

    @McpTool(name = "test_tool_with_progress", description = "Reports progress.")
    public String progress(McpSyncRequestContext context) {
      for (int done : new int[] {0, 50, 100}) context.progress(done);
      return "Progress is complete.";
    }

    @McpTool(name = "test_tool_with_logging", description = "Logs.")
    public String logging(McpSyncRequestContext context) {
      for (String line : List.of("Tool execution started", "Tool processing data", "Tool execution completed")) {
        context.info(line);
      }
      return "Logging is complete.";
    }

    @McpTool(name = "test_sampling", description = "Asks the model of the client.")
    public String sampling(String prompt, McpSyncRequestContext context) {
      CreateMessageResult reply = context.sample(prompt);
      return "LLM response: " + ((TextContent) reply.content()).text();
    }

    @McpTool(name = "test_elicitation", description = "Asks the user of the client.")
    public String elicitation(String message, McpSyncRequestContext context) {
      var reply = context.elicit(form -> form.message(message), User.class);
      return "User response: " + reply.action() + ", " + reply.structuredContent();
    }

    @McpTool(name = "test_slow", description = "Works for a while.")
    public String slow(int durationMs) throws InterruptedException {
      Thread.sleep(durationMs);
      return "Done.";
    }
  }

  public static class Resources {
    @McpResource(uri = "test://static-text", name = "static-text", mimeType = "text/plain")
    public String staticText() {
      return "This is the content of the static text resource.";
    }

    @McpResource(uri = "test://static-binary", name = "static-binary", mimeType = "image/png")
    public ReadResourceResult staticBinary() {
      return new ReadResourceResult(List.of(new BlobResourceContents("test://static-binary", "image/png", PIXEL)));
    }

    @McpResource(uri = "test://watched-resource", name = "watched-resource", mimeType = "text/plain")
    public String watched() {
      return "This is the watched resource.";
    }

    @McpResource(uri = "test://template/{id}/data", name = "template", mimeType = "application/json")
    public String template(String id) {
      return "{\"id\":\"%s\",\"templateTest\":true,\"data\":\"Data for ID: %s\"}".formatted(id, id);
    }

    @McpComplete(uri = "test://template/{id}/data")
    public List<String> ids(String id) {
      return List.of("testValue1");
    }
  }

  public static class Prompts {
    @McpPrompt(name = "test_simple_prompt", description = "A text.")
    public String simple() {
      return "This is a simple prompt for testing.";
    }

    @McpPrompt(name = "test_prompt_with_arguments", description = "Repeats its arguments.")
    public String withArguments(
        @McpArg(name = "arg1", required = true) String arg1, @McpArg(name = "arg2", required = true) String arg2) {
      return "Prompt with arguments: arg1='%s', arg2='%s'".formatted(arg1, arg2);
    }

    @McpComplete(prompt = "test_prompt_with_arguments")
    public List<String> values(String arg1) {
      return List.of("testValue1");
    }
  }

  public static void main(String[] words) {
    boolean isStdio = words.length == 0;
    Map<String, Object> settings = new java.util.HashMap<>(Map.of(
        "spring.main.banner-mode", "off",
        "spring.ai.mcp.client.enabled", "false",
        "spring.ai.mcp.server.name", "matrix-spring-ai",
        "spring.ai.mcp.server.stdio", isStdio));
    if (isStdio) {
      settings.putAll(Map.of("spring.main.web-application-type", "none", "logging.threshold.console", "off"));
    } else {
      settings.putAll(Map.of(
          "server.address", "127.0.0.1",
          "server.port", words[1],
          "spring.ai.mcp.server.protocol", words[0].equals("sse") ? "SSE" : "STREAMABLE"));
    }
    SpringApplication application = new SpringApplication(SpringServer.class);
    application.setDefaultProperties(settings);
    application.run();
  }
}
