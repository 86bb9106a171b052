// A program for the course that ends too early: at once, after a moment, after the first line or request, or, as a server over HTTP, when
// it listens. The checker's report must contain its stderr.
//   node ending.js STAGE [http PORT | client PROGRAM ARGUMENT… | client URL]

const _meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': { elicitation: {} } };
const probe = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'server/discover', params: { _meta } });
const [stage = '', role, target = '', ...rest] = process.argv.slice(2);

function end(): void {
  console.error('the disk is full\n\tat line 7');
  process.exit(3);
}

// A program that does not flush: its answers stay in the buffer until its input ends.
if (stage === 'buffered') {
  let answers = '';
  const { createInterface } = await import('node:readline');
  createInterface({ input: process.stdin }).on('line', (line) => (answers += `${JSON.stringify({ jsonrpc: '2.0', id: (JSON.parse(line) as { id: unknown }).id, result: {} })}\n`))
    .on('close', () => process.stdout.write(answers));
} else if (stage === 'at-once') end();
else if (stage === 'after-a-moment') setTimeout(end, 300);
else if (role === undefined) process.stdin.once('data', end);
else if (role === 'http') {
  const { createServer } = await import('node:http');
  const server = createServer(stage === 'listening' ? undefined : end);
  server.listen(Number(target), '127.0.0.1', () => stage === 'listening' && setTimeout(end, 300));
} else if (/^http:/.test(target)) {
  void fetch(target, { method: 'POST', headers: { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'server/discover' }, body: probe }).finally(end);
} else {
  const { spawn } = await import('node:child_process');
  const server = spawn(target, rest, { stdio: ['pipe', 'pipe', 'inherit'] });
  server.stdin.write(`${probe}\n`);
  server.stdout.once('data', end);
  if (stage === 'listening') server.on('spawn', () => setTimeout(end, 300));
}

export {};
