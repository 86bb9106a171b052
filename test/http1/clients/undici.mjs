// A client with undici's own interface and a body of unknown length. The plan is on stdin, see plan.mjs.
import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { request } from 'undici';

let session = '';
for (const line of readFileSync(0, 'utf8').split('\n').filter(Boolean)) {
  const [method, url, ...fields] = line.split('\t');
  const body = Buffer.from(fields.pop(), 'hex');
  const headers = Object.fromEntries(fields.map((field) => field.replace('$session', session).split(': ')));
  const response = await request(url, { method, headers, ...(body.length > 0 && { body: Readable.from([body]) }) });
  session = response.headers['mcp-session-id'] ?? session;
  console.log(`${response.statusCode}\t${Buffer.from(await response.body.arrayBuffer()).toString('hex')}`);
}
