// The faulty server over stdio: `node faulty-program.js FAULT`.
import { createInterface } from 'node:readline';
import { answer } from './faulty.ts';
import type { Told } from './faulty.ts';

const [, , fault = ''] = process.argv;
if (fault === 'ended-early') {
  process.stderr.write('Error: TRAVEL_KEY is not set\n');
  process.exit(3);
}
if (fault === 'stray-output') process.stdout.write('Server listening \u001b[32mnow\u001b[0m\n');
if (fault === 'does-not-end') setInterval(() => {}, 1000);

const say = (message: object): void => void process.stdout.write(`${JSON.stringify(message)}\n`);
let era: string | undefined;
for await (const line of createInterface({ input: process.stdin })) {
  const told = JSON.parse(line) as Told;
  if (told.method === 'server/discover' && fault === 'discover-ends-server') process.exit(1);
  if (told.id === undefined || told.method === undefined) continue;
  // For `both`: each process keeps the era of its first request.
  era ??= told.method === 'server/discover' ? 'modern' : 'none';
  const answered = answer(told, fault === 'both' ? era : fault);
  const tell = (): void => {
    if (answered) say({ jsonrpc: '2.0', id: told.id, ...answered });
  };
  // Slower than the test's limit for a slow start.
  if (fault === 'slow-start' && told.method === 'initialize') setTimeout(tell, 120);
  else tell();
}
