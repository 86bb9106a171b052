// Both ends of a pipe: a message a line.
import { spawn } from 'node:child_process';
import { onLines, read } from './messages.mjs';
import { receive } from './server.mjs';

const line = (message) => `${JSON.stringify(message)}\n`;

export function serveStdio() {
  const write = (message) => process.stdout.write(line(message));
  const connection = { opened: false, http: false, calls: new Map(), notify: write };
  onLines(process.stdin, async (text) => {
    const answer = await receive(text, connection);
    if (answer) write(answer);
  });
  process.stdin.on('end', () => connection.calls.forEach((call) => call.abort()));
}

/** Starts a server, and gives the link to it. */
export function stdioLink(command, args) {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const pending = new Map();
  const gone = new Promise((resolve) => child.on('close', resolve).on('error', resolve));
  const write = (message) => child.stdin.write(line(message));
  child.stdin.on('error', () => {});
  gone.then(() => pending.forEach(({ reject }) => reject(new Error('the server is gone'))));
  const link = {
    agreed() {},
    notify: write,
    request: (message) => new Promise((resolve, reject) => {
      pending.set(message.id, { resolve, reject });
      write(message);
    }),
    close: () => (child.stdin.end(), gone),
  };
  onLines(child.stdout, (text) => {
    const { request, response } = read(text);
    if (request) write(link.answer(request));
    if (response) pending.get(response.id)?.resolve(response);
  });
  return link;
}
