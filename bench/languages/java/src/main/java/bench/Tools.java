package bench;

import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import tools.jackson.databind.ObjectMapper;

/** The tools that leave the process: {@code cart} reads a hash of Redis, {@code product} asks an HTTP service. */
final class Tools {
  private final RedisCommands<String, String> redis = RedisClient.create(System.getenv("REDIS_URL")).connect().sync();
  private final HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final String catalogue = System.getenv("CATALOGUE_URL");
  private final ObjectMapper json = new ObjectMapper();

  String cart(String user) {
    return json.writeValueAsString(redis.hgetall("cart:" + user));
  }

  String product(String id) throws IOException, InterruptedException {
    var answer = http.send(HttpRequest.newBuilder(URI.create(catalogue + "/products/" + id)).build(), BodyHandlers.ofString());
    if (answer.statusCode() != 200) throw new IOException("the catalogue answers " + answer.statusCode());
    return answer.body();
  }
}
