// The upper bound for a client: over stdio, lines and a Map of callbacks; over HTTP, fetch.
import { spawn } from 'node:child_process';
import { drive, node, options } from './drive.mjs';

const hello = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bare', version: '1.0.0' } };
let id = 0;

if (options.transport === 'stdio') {
  const child = spawn(node, [options.target], { stdio: ['pipe', 'pipe', 'inherit'] });
  const waiting = new Map();
  let head = [];
  child.stdout.setEncoding('utf8');
  child.stdout.on('data', (chunk) => {
    let start = 0;
    for (let end; (end = chunk.indexOf('\n', start)) >= 0; start = end + 1) {
      let line = chunk.slice(start, end);
      if (head.length > 0) {
        line = head.join('') + line;
        head = [];
      }
      const message = JSON.parse(line);
      const resolve = waiting.get(message.id);
      waiting.delete(message.id);
      resolve(message.result);
    }
    if (start < chunk.length) head.push(chunk.slice(start));
  });
  let out = '';
  const flush = () => {
    child.stdin.write(out);
    out = '';
  };
  const ask = (method, params) =>
    new Promise((resolve) => {
      waiting.set(++id, resolve);
      if (out === '') process.nextTick(flush);
      out += `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`;
    });
  await ask('initialize', hello);
  await drive(async (text) => (await ask('tools/call', { name: 'echo', arguments: { text } })).content[0].text);
} else {
  let session;
  const ask = async (method, params) => {
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    if (session) headers['mcp-session-id'] = session;
    const body = JSON.stringify({ jsonrpc: '2.0', id: ++id, method, params });
    const response = await fetch(options.target, { method: 'POST', headers, body });
    session ??= response.headers.get('mcp-session-id');
    return JSON.parse(await response.text()).result;
  };
  await ask('initialize', hello);
  await drive(async (text) => (await ask('tools/call', { name: 'echo', arguments: { text } })).content[0].text);
}
