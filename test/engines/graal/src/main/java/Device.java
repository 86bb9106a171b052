import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.graalvm.polyglot.Context;
import org.graalvm.polyglot.Engine;
import org.graalvm.polyglot.HostAccess;
import org.graalvm.polyglot.Value;
import org.graalvm.polyglot.proxy.ProxyExecutable;

/**
 * GraalJS: an engine written in Java, running a barewire server. Device BUNDLE LINES: prints one JSON line. LINES: two lines of
 * handshake, then one call a line.
 */
public final class Device {
  private static final Pattern ID = Pattern.compile("\"id\":([^,}]+)");

  private final Deque<String> said = new ArrayDeque<>();
  private final Context context;

  private Device(Context context) {
    this.context = context;
    context.getBindings("js").putMember("writeLine", (ProxyExecutable) given -> {
      said.add(given[0].asString());
      return null;
    });
  }

  private void read(String text) {
    Value called = context.getBindings("js").getMember("readLine");
    called.executeVoid(text);
  }

  /** Bytes of the heap after collection. */
  private static long heap() {
    Runtime runtime = Runtime.getRuntime();
    for (int at = 0; at < 4; at++) System.gc();
    return runtime.totalMemory() - runtime.freeMemory();
  }

  public static void main(String[] args) throws Exception {
    String code = Files.readString(Path.of(args[0]));
    List<String> lines = Files.readAllLines(Path.of(args[1]));
    try (Engine engine = Engine.newBuilder("js").option("engine.WarnInterpreterOnly", "false").build();
        Context context = Context.newBuilder("js").engine(engine).allowHostAccess(HostAccess.NONE).build()) {
      Device device = new Device(context);
      context.eval("js", "0");
      long empty = heap();
      long started = System.nanoTime();
      context.eval("js", code);
      long evaluated = System.nanoTime();
      long loaded = heap() - empty;
      // The collector's time does not count in the first answer.
      started += System.nanoTime() - evaluated;
      for (String line : lines.subList(0, 2)) device.read(line);
      device.said.clear();
      int answered = 0;
      double first = 0;
      long began = System.nanoTime();
      List<String> calls = lines.subList(2, lines.size());
      for (int at = 0; at < calls.size(); at++) {
        device.read(calls.get(at));
        for (String text = device.said.poll(); text != null; text = device.said.poll()) {
          if (text.contains("\"elicitation/create\"")) {
            Matcher id = ID.matcher(text);
            if (!id.find()) throw new IllegalStateException(text);
            device.read("{\"jsonrpc\":\"2.0\",\"id\":" + id.group(1) + ",\"result\":{\"action\":\"accept\",\"content\":{\"dry\":true}}}");
          } else if (text.contains("\"result\":{\"content\"")) {
            answered++;
          }
        }
        if (at == 0) first = (System.nanoTime() - started) / 1e6;
      }
      double each = (System.nanoTime() - began) / 1e3 / calls.size();
      if (answered != calls.size()) throw new IllegalStateException(answered + " of " + calls.size() + " calls were answered");
      System.out.printf(Locale.ROOT, "{\"loaded\":%d,\"code\":%d,\"firstMs\":%.1f,\"callUs\":%.0f}%n", loaded, code.length(), first, each);
    }
  }
}
