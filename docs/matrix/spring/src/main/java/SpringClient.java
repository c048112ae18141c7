import io.modelcontextprotocol.client.McpSyncClient;
import io.modelcontextprotocol.json.McpJsonDefaults;
import io.modelcontextprotocol.json.McpJsonMapper;
import io.modelcontextprotocol.json.TypeRef;
import io.modelcontextprotocol.spec.McpSchema.*;
import java.net.URI;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.springframework.ai.mcp.annotation.McpElicitation;
import org.springframework.ai.mcp.annotation.McpSampling;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/**
 * A driver for the client of Spring AI: runs the script in MCP_CONFORM_SCRIPT (docs/clients.md), and prints a line for each
 * step. The client is configured by the properties of its starter.
 */
public final class SpringClient {
  private static final Set<String> VERBS =
      Set.of("connect", "list", "call", "read", "get", "complete", "subscribe", "cancel", "answer", "close");

  private static volatile Map<String, Object> content = Map.of();

  private final McpJsonMapper json = McpJsonDefaults.getMapper();
  private McpSyncClient client;
  private Thread pending;

  @Configuration
  @EnableAutoConfiguration
  @Import(Handlers.class)
  static class Host {}

  static class Handlers {
    @McpSampling(clients = "matrix")
    public CreateMessageResult sample(CreateMessageRequest request) {
      Content text = new TextContent("This is a test response from the client");
      return new CreateMessageResult(
          Role.ASSISTANT, text, "test-model", CreateMessageResult.StopReason.END_TURN);
    }

    @McpElicitation(clients = "matrix")
    public ElicitResult elicit(ElicitRequest request) {
      return new ElicitResult(ElicitResult.Action.ACCEPT, content);
    }
  }

  private Map<String, Object> connection() throws Exception {
    Map<String, Object> settings = new HashMap<>();
    String command = System.getenv("MCP_CONFORM_COMMAND");
    if (command != null) {
      List<String> words = json.readValue(command, new TypeRef<List<String>>() {});
      String name = "spring.ai.mcp.client.stdio.connections.matrix.";
      settings.put(name + "command", words.get(0));
      for (int at = 1; at < words.size(); at++) settings.put(name + "args[" + (at - 1) + "]", words.get(at));
      System.getenv().forEach((variable, value) -> settings.put(name + "env[" + variable + "]", value));
      return settings;
    }
    URI url = URI.create(System.getenv("MCP_CONFORM_URL"));
    boolean isSse = "http-sse".equals(System.getenv("MCP_CONFORM_TRANSPORT"));
    String name = "spring.ai.mcp.client." + (isSse ? "sse" : "streamable-http") + ".connections.matrix.";
    settings.put(name + "url", url.getScheme() + "://" + url.getAuthority());
    settings.put(name + (isSse ? "sse-endpoint" : "endpoint"), url.getPath());
    return settings;
  }

  @SuppressWarnings("unchecked")
  private void connect() throws Exception {
    Map<String, Object> settings = connection();
    settings.putAll(Map.of(
        "spring.main.banner-mode", "off",
        "logging.threshold.console", "off",
        "spring.ai.mcp.server.enabled", "false",
        "spring.ai.mcp.client.name", "matrix-spring-ai-client",
        "spring.ai.mcp.client.initialized", "false"));
    client = ((List<McpSyncClient>) new SpringApplicationBuilder(Host.class)
        .web(WebApplicationType.NONE)
        .properties(settings)
        .run()
        .getBean("mcpSyncClients"))
        .get(0);
    client.initialize();
  }

  private void list(String what) {
    ServerCapabilities declared = client.getServerCapabilities();
    if (what.equals("tools") && declared.tools() != null) client.listTools();
    if (what.equals("prompts") && declared.prompts() != null) client.listPrompts();
    if (what.equals("resources") && declared.resources() != null) client.listResources();
    if (what.equals("templates") && declared.resources() != null) client.listResourceTemplates();
  }

  private void call(Step step) throws InterruptedException {
    CallToolRequest.Builder request = CallToolRequest.builder(step.word(1)).arguments(step.object(2));
    if (Boolean.TRUE.equals(step.object(3).get("progress"))) request.progressToken("progress-1");
    if (!Boolean.FALSE.equals(step.object(3).get("wait"))) {
      client.callTool(request.build());
      return;
    }
    pending = new Thread(() -> {
      try {
        client.callTool(request.build());
      } catch (RuntimeException cancelled) {
        // the step that cancels the call expects no result
      }
    });
    pending.start();
    Thread.sleep(100); // the request leaves before the next step
  }

  private void complete(Step step) {
    if (client.getServerCapabilities().completions() == null) return;
    Map<String, Object> ref = step.object(1);
    Map<String, Object> argument = step.object(2);
    CompleteReference reference = "ref/prompt".equals(ref.get("type"))
        ? new PromptReference(String.valueOf(ref.get("name")))
        : new ResourceReference(String.valueOf(ref.get("uri")));
    client.completeCompletion(new CompleteRequest(reference, new CompleteRequest.CompleteArgument(
        String.valueOf(argument.get("name")), String.valueOf(argument.get("value")))));
  }

  private void subscribe(Step step) {
    ServerCapabilities.ResourceCapabilities resources = client.getServerCapabilities().resources();
    if (resources == null || !Boolean.TRUE.equals(resources.subscribe())) return;
    if (Boolean.FALSE.equals(step.at(2))) client.unsubscribeResource(new UnsubscribeRequest(step.word(1)));
    else client.subscribeResource(new SubscribeRequest(step.word(1)));
  }

  private void act(Step step) throws Exception {
    switch (step.word(0)) {
      case "connect" -> connect();
      case "list" -> list(step.word(1));
      case "call" -> call(step);
      case "read" -> client.readResource(new ReadResourceRequest(step.word(1)));
      case "get" -> client.getPrompt(new GetPromptRequest(step.word(1), step.object(2)));
      case "complete" -> complete(step);
      case "subscribe" -> subscribe(step);
      case "cancel" -> {
        if (pending != null) pending.interrupt();
      }
      case "answer" -> content = step.object(3);
      case "close" -> client.closeGracefully();
      default -> {}
    }
  }

  /** A step of the script: a verb, and what it takes. */
  private record Step(List<Object> words) {
    Object at(int index) {
      return index < words.size() ? words.get(index) : null;
    }

    String word(int index) {
      return at(index) instanceof String text ? text : "";
    }

    @SuppressWarnings("unchecked")
    Map<String, Object> object(int index) {
      return at(index) instanceof Map<?, ?> map ? (Map<String, Object>) map : Map.of();
    }
  }

  public static void main(String[] args) throws Exception {
    SpringClient driver = new SpringClient();
    String script = System.getenv("MCP_CONFORM_SCRIPT");
    List<Step> steps = new ArrayList<>();
    if (script != null)
      for (List<Object> words : driver.json.readValue(script, new TypeRef<List<List<Object>>>() {}))
        steps.add(new Step(words));
    boolean isKnown = steps.stream().allMatch(s -> VERBS.contains(s.word(0)));
    if (steps.isEmpty() || !isKnown) System.exit(127);
    for (int at = 0; at < steps.size(); at++) {
      Map<String, Object> line = new LinkedHashMap<>(Map.of("step", at + 1, "ok", true));
      try {
        driver.act(steps.get(at));
      } catch (Exception problem) {
        line.put("ok", false);
        line.put("error", String.valueOf(problem.getMessage()));
      }
      System.out.println(driver.json.writeValueAsString(line));
      if (line.get("ok").equals(false) && steps.get(at).word(0).equals("connect")) System.exit(1);
    }
    System.exit(0);
  }
}
