package peers;

import static io.modelcontextprotocol.spec.McpSchema.*;

import io.modelcontextprotocol.client.McpClient;
import io.modelcontextprotocol.client.transport.HttpClientStreamableHttpTransport;
import io.modelcontextprotocol.client.transport.ServerParameters;
import io.modelcontextprotocol.client.transport.StdioClientTransport;
import io.modelcontextprotocol.json.McpJsonDefaults;
import io.modelcontextprotocol.server.McpServer;
import io.modelcontextprotocol.server.McpServerFeatures.SyncCompletionSpecification;
import io.modelcontextprotocol.server.McpServerFeatures.SyncPromptSpecification;
import io.modelcontextprotocol.server.McpServerFeatures.SyncResourceSpecification;
import io.modelcontextprotocol.server.McpServerFeatures.SyncResourceTemplateSpecification;
import io.modelcontextprotocol.server.McpSyncServerExchange;
import io.modelcontextprotocol.server.transport.HttpServletStreamableServerTransportProvider;
import io.modelcontextprotocol.server.transport.StdioServerTransportProvider;
import io.modelcontextprotocol.spec.McpClientTransport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.eclipse.jetty.ee10.servlet.ServletContextHandler;
import org.eclipse.jetty.ee10.servlet.ServletHolder;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;

/**
 * The official Java SDK as a peer, with the features of both roles. "serve stdio", "serve http", "call REVISION URL", "call
 * REVISION -- COMMAND ..."; a client prints its results as JSON. It supports only the legacy era.
 */
public final class Peers {
  private static Tool tool(String name, String... numbers) {
    var properties = new LinkedHashMap<String, Object>();
    for (var number : numbers) properties.put(number, Map.of("type", "number"));
    return new Tool.Builder().name(name).inputSchema(Map.of("type", "object", "properties", properties)).build();
  }

  private static CallToolResult text(String text) {
    return new CallToolResult.Builder().addTextContent(text).build();
  }

  private static double number(CallToolRequest request, String name) {
    return ((Number) request.arguments().get(name)).doubleValue();
  }

  private static ReadResourceResult read(McpSyncServerExchange exchange, ReadResourceRequest request) {
    return new ReadResourceResult(List.of(new TextResourceContents(request.uri(), "text/plain", "text of " + request.uri())));
  }

  private static <S extends McpServer.SyncSpecification<S>> void fill(McpServer.SyncSpecification<S> server) {
    var prompt = Prompt.builder("plan").arguments(List.of(new PromptArgument("city", null, true))).build();
    server.serverInfo("java-sdk", "1.0.0")
        .capabilities(ServerCapabilities.builder().tools(true).resources(true, true).prompts(true).completions().build())
        .toolCall(tool("add", "a", "b"), (exchange, request) ->
            new CallToolResult.Builder().addTextContent("a sum").structuredContent(Map.of("sum", number(request, "a") + number(request, "b"))).build())
        .toolCall(tool("fail"), (exchange, request) -> new CallToolResult.Builder().addTextContent("out of flour").isError(true).build())
        .toolCall(tool("steps"), (exchange, request) -> {
          for (int i = 1; i <= 3; i++) exchange.progressNotification(new ProgressNotification(request.meta().get("progressToken"), i, 3.0, null));
          return text("done");
        })
        .toolCall(tool("ask"), (exchange, request) -> {
          var answer = exchange.createElicitation(ElicitRequest.builder("Your name?",
              Map.of("type", "object", "properties", Map.of("name", Map.of("type", "string")))).build());
          return text(answer.action().name().toLowerCase() + " " + answer.content().get("name"));
        })
        .toolCall(tool("wait"), (exchange, request) -> {
          try {
            Thread.sleep(5000);
          } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
          }
          return text("waited");
        })
        .resources(new SyncResourceSpecification(Resource.builder("trips://all", "all").build(), Peers::read))
        .resourceTemplates(new SyncResourceTemplateSpecification(ResourceTemplate.builder("trips://city/{name}", "city").build(), Peers::read))
        .prompts(new SyncPromptSpecification(prompt, (exchange, request) -> new GetPromptResult(null,
            List.of(new PromptMessage(Role.USER, new TextContent("Plan " + request.arguments().get("city")))))))
        .completions(new SyncCompletionSpecification(new PromptReference("plan"), (exchange, request) -> new CompleteResult(
            new CompleteResult.CompleteCompletion(Stream.of("Rome", "Riga", "Oslo").filter(name -> name.startsWith(request.argument().value())).toList()))));
  }

  private static void serve(String kind) throws Exception {
    if (kind.equals("stdio")) {
      var server = McpServer.sync(new StdioServerTransportProvider(McpJsonDefaults.getMapper()));
      fill(server);
      server.build();
      return;
    }
    var transport = new HttpServletStreamableServerTransportProvider.Builder().mcpEndpoint("/").build();
    var mcp = McpServer.sync(transport);
    fill(mcp);
    mcp.build();
    var server = new Server();
    var connector = new ServerConnector(server);
    connector.setHost("127.0.0.1");
    server.addConnector(connector);
    var context = new ServletContextHandler();
    var holder = new ServletHolder(transport);
    holder.setAsyncSupported(true);
    context.addServlet(holder, "/");
    server.setHandler(context);
    server.start();
    System.out.println("port " + connector.getLocalPort());
    System.in.readAllBytes();
    System.exit(0);
  }

  private static String textOf(CallToolResult result) {
    return ((TextContent) result.content().get(0)).text();
  }

  private static void call(List<String> target) throws Exception {
    List<Double> progress = Collections.synchronizedList(new ArrayList<>());
    var changed = new CountDownLatch(1);
    McpClientTransport transport = target.get(0).equals("--")
        ? new StdioClientTransport(ServerParameters.builder(target.get(1)).args(target.subList(2, target.size())).build(), McpJsonDefaults.getMapper())
        : HttpClientStreamableHttpTransport.builder(target.get(0)).endpoint("/mcp").build();
    try (var client = McpClient.sync(transport).requestTimeout(Duration.ofSeconds(20))
        .capabilities(ClientCapabilities.builder().roots(true).sampling().elicitation().build())
        .roots(new Root("file:///work", "work"))
        .elicitation(request -> new ElicitResult(ElicitResult.Action.ACCEPT, Map.of("name", "Ada")))
        .sampling(request -> CreateMessageResult.builder(Role.ASSISTANT, "42", "none").build())
        .progressConsumer(one -> progress.add(one.progress()))
        .toolsChangeConsumer(tools -> {
          if (tools.stream().anyMatch(one -> one.name().equals("grown"))) changed.countDown();
        })
        .build()) {
      var saw = new LinkedHashMap<String, Object>();
      var agreed = client.initialize();
      saw.put("revision", agreed.protocolVersion());
      saw.put("server", agreed.serverInfo().name());
      saw.put("tools", client.listTools().tools().stream().map(Tool::name).toList());
      var none = Map.<String, Object>of();
      saw.put("add", client.callTool(new CallToolRequest("add", Map.of("a", 1, "b", 2))).structuredContent());
      var failed = client.callTool(new CallToolRequest("fail", none));
      saw.put("fail", List.of(failed.isError(), textOf(failed)));
      saw.put("steps", textOf(client.callTool(new CallToolRequest("steps", none, Map.of("progressToken", "steps")))));
      saw.put("ask", textOf(client.callTool(new CallToolRequest("ask", none))));
      saw.put("sample", textOf(client.callTool(new CallToolRequest("sample", none))));
      saw.put("roots", textOf(client.callTool(new CallToolRequest("roots", none))));
      saw.put("resource", ((TextResourceContents) client.readResource(new ReadResourceRequest("trips://city/Rome")).contents().get(0)).text());
      saw.put("prompt", ((TextContent) client.getPrompt(new GetPromptRequest("plan", Map.of("city", "Rome"))).messages().get(0).content()).text());
      saw.put("complete", client.completeCompletion(new CompleteRequest(new PromptReference("plan"), new CompleteRequest.CompleteArgument("city", "R"))).completion().values());
      client.callTool(new CallToolRequest("grow", none));
      saw.put("changed", changed.await(10, TimeUnit.SECONDS));
      saw.put("progress", progress);
      System.out.println(McpJsonDefaults.getMapper().writeValueAsString(saw));
    }
    System.exit(0);
  }

  public static void main(String[] args) throws Exception {
    if (args[0].equals("serve")) serve(args[1]);
    else call(Arrays.asList(args).subList(2, args.length));
  }
}
