// The plain HTTP client of Node: node:http with a keep-alive agent.
import { Agent, request } from 'node:http';
import { drive, options } from './drive.mjs';

const agent = new Agent({ keepAlive: true });
const url = new URL(options.target);
let id = 0;
let session;

const ask = (method, params) =>
  new Promise((resolve, reject) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: ++id, method, params });
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'content-length': Buffer.byteLength(body),
    };
    if (session) headers['mcp-session-id'] = session;
    const req = request(url, { method: 'POST', agent, headers }, (res) => {
      session ??= res.headers['mcp-session-id'];
      let text = '';
      res.setEncoding('utf8');
      res.on('data', (chunk) => (text += chunk));
      res.on('end', () => resolve(JSON.parse(text).result));
    });
    req.on('error', reject);
    req.end(body);
  });

await ask('initialize', {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'bare', version: '1.0.0' },
});
await drive(async (text) => (await ask('tools/call', { name: 'echo', arguments: { text } })).content[0].text);
