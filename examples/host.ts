// A host in a terminal: it starts a server, shows what the server has, and calls a tool once you agree. Its activity log with all
// calls, decisions and results is printed at the end.
//
//   node dist/examples/host.js
import { createInterface } from 'node:readline/promises';
import { fileURLToPath } from 'node:url';
import { Host, HostError, memoryLog } from 'barewire/host';
import { openServer } from 'barewire/host/node';

const log = memoryLog();

const host = new Host({
  info: { name: 'host-example', version: '1.0.0' },
  servers: {
    sums: { command: process.execPath, args: [fileURLToPath(new URL('small.js', import.meta.url))] },
  },
  transport: openServer,
  // Calls without a matching rule need approval.
  rules: [{ tool: 'delete_*', then: 'deny' }],
  person: {
    async approve({ server, tool, args }, { signal }) {
      const terminal = createInterface({ input: process.stdin, output: process.stdout });
      const answer = await terminal.question(`Call ${tool.name} of ${server} with ${JSON.stringify(args)}? [y/n] `, { signal }).finally(() => terminal.close());
      return answer.trim() === 'y' ? { allow: 'once' } : { allow: false, reason: 'the person declined' };
    },
  },
  log,
});

try {
  for (const { name, tool } of await host.tools()) console.log(`${name}: ${tool.description}`);
  const { content } = await host.call('sums/add', { a: 1, b: 2 });
  for (const block of content) console.log(block.type === 'text' ? block.text : `(${block.type})`);
} catch (error) {
  if (!(error instanceof HostError)) throw error;
  console.log(`${error.code}: ${error.message}`);
} finally {
  await host.close();
}
for (const line of log.lines) {
  const { kind, decision = '' } = JSON.parse(line) as { kind: string; decision?: string };
  console.log(`  ${kind} ${decision}`.trimEnd());
}
