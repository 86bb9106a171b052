package bench;

import io.modelcontextprotocol.server.McpServer;
import io.modelcontextprotocol.server.transport.HttpServletStatelessServerTransport;
import io.modelcontextprotocol.server.transport.HttpServletStreamableServerTransportProvider;
import io.modelcontextprotocol.spec.McpSchema.CallToolRequest;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import io.modelcontextprotocol.spec.McpSchema.ServerCapabilities;
import io.modelcontextprotocol.spec.McpSchema.Tool;
import jakarta.servlet.http.HttpServlet;
import java.util.List;
import java.util.Map;
import org.eclipse.jetty.ee10.servlet.ServletContextHandler;
import org.eclipse.jetty.ee10.servlet.ServletHolder;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;

/** Servers in Java, in Jetty: "sdk" is the official SDK with sessions, "sdk-stateless" without. */
public final class Servers {
  private static final Tool ECHO = new Tool.Builder().name("echo").description("Returns its text").inputSchema(
      Map.of("type", "object", "properties", Map.of("text", Map.of("type", "string")), "required", List.of("text"))).build();

  private static CallToolResult echo(CallToolRequest request) {
    return new CallToolResult.Builder().addTextContent((String) request.arguments().get("text")).build();
  }

  private static HttpServlet sdk() {
    var transport = new HttpServletStreamableServerTransportProvider.Builder().mcpEndpoint("/mcp").build();
    McpServer.sync(transport).serverInfo("java-sdk", "1.0.0").capabilities(ServerCapabilities.builder().tools(true).build())
        .toolCall(ECHO, (exchange, request) -> echo(request)).build();
    return transport;
  }

  private static HttpServlet stateless() {
    var transport = HttpServletStatelessServerTransport.builder().messageEndpoint("/mcp").build();
    McpServer.sync(transport).serverInfo("java-sdk", "1.0.0").capabilities(ServerCapabilities.builder().tools(true).build())
        .toolCall(ECHO, (context, request) -> echo(request)).build();
    return transport;
  }

  public static void main(String[] args) throws Exception {
    var server = new Server();
    var connector = new ServerConnector(server);
    connector.setHost("127.0.0.1");
    server.addConnector(connector);
    var context = new ServletContextHandler();
    var holder = new ServletHolder(args[0].equals("sdk") ? sdk() : stateless());
    holder.setAsyncSupported(true);
    context.addServlet(holder, "/mcp");
    server.setHandler(context);
    server.start();
    System.out.println("port " + connector.getLocalPort());
    System.in.readAllBytes();
    System.exit(0);
  }
}
