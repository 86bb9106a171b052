package bench;

import io.modelcontextprotocol.server.McpServer;
import io.modelcontextprotocol.server.transport.HttpServletStreamableServerTransportProvider;
import io.modelcontextprotocol.spec.McpSchema.CallToolRequest;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import io.modelcontextprotocol.spec.McpSchema.ServerCapabilities;
import io.modelcontextprotocol.spec.McpSchema.Tool;
import jakarta.servlet.http.HttpServlet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.eclipse.jetty.ee10.servlet.ServletContextHandler;
import org.eclipse.jetty.ee10.servlet.ServletHolder;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;

/** The official SDK for Java as documented, with sessions, in Jetty. */
public final class Servers {
  private static Tool tool(String name, String description, String argument) {
    return new Tool.Builder().name(name).description(description).inputSchema(
        Map.of("type", "object", "properties", Map.of(argument, Map.of("type", "string")), "required", List.of(argument))).build();
  }

  private static String argument(CallToolRequest request, String name) {
    return (String) request.arguments().get(name);
  }

  private static CallToolResult answer(Callable<String> work) {
    try {
      return new CallToolResult.Builder().addTextContent(work.call()).build();
    } catch (Exception error) {
      return new CallToolResult.Builder().addTextContent(error.toString()).isError(true).build();
    }
  }

  private static HttpServlet sdk(Tools tools) {
    var transport = new HttpServletStreamableServerTransportProvider.Builder().mcpEndpoint("/mcp").build();
    McpServer.sync(transport).serverInfo("java-sdk", "1.0.0").capabilities(ServerCapabilities.builder().tools(true).build())
        .toolCall(tool("echo", "Returns its text", "text"), (exchange, request) -> answer(() -> argument(request, "text")))
        .toolCall(tool("cart", "What is in a user's cart", "user"), (exchange, request) -> answer(() -> tools.cart(argument(request, "user"))))
        .toolCall(tool("product", "One product of the catalogue", "id"), (exchange, request) -> answer(() -> tools.product(argument(request, "id"))))
        .build();
    return transport;
  }

  public static void main(String[] args) throws Exception {
    var server = new Server();
    var connector = new ServerConnector(server);
    connector.setHost("127.0.0.1");
    server.addConnector(connector);
    var context = new ServletContextHandler();
    var holder = new ServletHolder(sdk(new Tools()));
    holder.setAsyncSupported(true);
    context.addServlet(holder, "/mcp");
    server.setHandler(context);
    server.start();
    System.out.println("port " + connector.getLocalPort());
    System.in.readAllBytes();
    System.exit(0);
  }
}
