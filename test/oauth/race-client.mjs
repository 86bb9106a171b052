// One of eight processes that share a token file. Prints the page that a person must open; makes one call for each line on stdin.
import { createInterface } from 'node:readline';
import { McpClient } from '../../dist/lib/client.js';
import { httpTransport } from '../../dist/lib/fetch.js';
import { fileStore, login } from '../../dist/lib/oauth-node.js';

const [, , url, path] = process.argv;
const say = (message) => void process.stdout.write(`${JSON.stringify(message)}\n`);
const auth = login({
  client: { name: 'race' }, store: fileStore({ path }), onAuthorize: (page) => say({ page: page.href }),
  onError: ({ message }) => say({ error: message }),
});
const client = new McpClient({ name: 'race', version: '1' }, { era: process.env.ERA ?? 'legacy' });
let connected = false;
for await (const line of createInterface({ input: process.stdin })) {
  try {
    if (!connected) await client.connect(httpTransport(url, { auth }));
    connected = true;
    const { content: [{ text }] } = await client.callTool('whoami', {});
    say({ line, subject: JSON.parse(text).subject });
  } catch (error) {
    say({ line, failed: `${error.code ?? ''} ${error.message}` });
  }
}
await client.close();
