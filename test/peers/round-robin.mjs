// A balancer for tests without nginx: each request goes to the next server, regardless of its session.
import { Agent, createServer, request } from 'node:http';

/** A proxy for these origins (`http://127.0.0.1:3000`). `counts`: requests to each. */
export async function roundRobin(origins) {
  const agent = new Agent({ keepAlive: true });
  const counts = origins.map(() => 0);
  let turn = 0;
  const server = createServer((from, to) => {
    const at = turn++ % origins.length;
    counts[at]++;
    const { hostname, port } = new URL(origins[at]);
    const onward = request({
      agent, hostname, port, method: from.method, path: from.url, headers: { ...from.headers, host: `${hostname}:${port}` },
    }, (answer) => {
      to.writeHead(answer.statusCode, answer.headers);
      to.flushHeaders();
      answer.pipe(to);
      answer.on('error', () => to.destroy());
    });
    onward.on('error', () => {
      if (to.headersSent) to.destroy();
      else to.writeHead(502).end();
    });
    // If a client leaves a stream, the stream to the server is closed as well.
    to.on('close', () => onward.destroy());
    from.pipe(onward);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${server.address().port}`,
    counts,
    close() {
      server.close();
      server.closeAllConnections();
      agent.destroy();
    },
  };
}
