// Java's HttpClient as a client of test/http1/clients: the plan is on standard input, see plan.mjs. By default it offers h2c.
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.HexFormat;

public class HttpClientPlan {
  public static void main(String[] args) throws Exception {
    var version = args.length > 0 && args[0].equals("1.1") ? HttpClient.Version.HTTP_1_1 : HttpClient.Version.HTTP_2;
    var client = HttpClient.newBuilder().version(version).build();
    var lines = new BufferedReader(new InputStreamReader(System.in));
    var session = "";
    for (String line; (line = lines.readLine()) != null;) {
      var parts = line.split("\t", -1);
      var body = HexFormat.of().parseHex(parts[parts.length - 1]);
      var request = HttpRequest.newBuilder(URI.create(parts[1]))
          .method(parts[0], body.length == 0 ? BodyPublishers.noBody() : BodyPublishers.ofByteArray(body));
      for (int i = 2; i < parts.length - 1; i++) {
        var field = parts[i].split(": ", 2);
        request.header(field[0], field[1].replace("$session", session));
      }
      HttpResponse<byte[]> response = client.send(request.build(), BodyHandlers.ofByteArray());
      session = response.headers().firstValue("mcp-session-id").orElse(session);
      System.out.println(response.statusCode() + "\t" + HexFormat.of().formatHex(response.body()));
    }
  }
}
