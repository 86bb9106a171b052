// A client with the runtime's own fetch. The plan is on stdin, see plan.mjs.
import { readFileSync } from 'node:fs';

let session = '';
for (const line of readFileSync(0, 'utf8').split('\n').filter(Boolean)) {
  const [method, url, ...fields] = line.split('\t');
  const body = Buffer.from(fields.pop(), 'hex');
  const headers = fields.map((field) => field.replace('$session', session).split(': '));
  const response = await fetch(url, { method, headers, ...(body.length > 0 && { body }) });
  session = response.headers.get('mcp-session-id') ?? session;
  console.log(`${response.status}\t${Buffer.from(await response.arrayBuffer()).toString('hex')}`);
}
