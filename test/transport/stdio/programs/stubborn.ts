// A program that is hard to stop. Arguments: a port to connect to, and a role:
//   deaf        continues when stdin ends, and exits on SIGTERM
//   stubborn    continues on SIGTERM too
//   grandchild  exits with stdin, and leaves a stubborn program that has none of our pipes
//   holder      exits with stdin, and leaves a stubborn program that holds the pipes
//   mute        closes stdout and continues
//   doomed      opens a transport to a deaf program, and gets SIGTERM when that one runs
//   host        opens a transport to a stubborn program, and exits when that one runs
import { spawn } from 'node:child_process';
import { closeSync } from 'node:fs';
import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import { stdioTransport } from '../../../../src/transport/stdio/index.ts';

const [port = '', role] = process.argv.slice(2);
const self = fileURLToPath(import.meta.url);
const say = (text: string): void => void process.stderr.write(`${text}\n`);

if (role === 'deaf' || role === 'stubborn' || role === 'mute') {
  const socket = connect(Number(port), '127.0.0.1');
  process.stdin.resume().on('end', () => say('stdin ended'));
  process.on('SIGTERM', () => {
    say('SIGTERM');
    if (role !== 'stubborn') process.exit(0);
  });
  socket.on('close', () => process.exit(0)).on('error', () => {});
  socket.on('connect', () => {
    socket.write('here');
    say('ready');
    if (role === 'mute') closeSync(1);
  });
} else if (role === 'grandchild' || role === 'holder') {
  const stdio = role === 'holder' ? 'inherit' : 'ignore';
  spawn(process.execPath, [self, port, 'stubborn'], { stdio: ['ignore', stdio, stdio] }).unref();
  process.stdin.resume();
} else {
  const transport = stdioTransport(process.execPath, [self, port, role === 'doomed' ? 'deaf' : 'stubborn'], {
    onStderr: (line) => {
      if (line !== 'ready') return;
      if (role === 'doomed') process.kill(process.pid, 'SIGTERM');
      else process.exit(0);
    },
  });
  const ignore = (): void => undefined;
  await transport.open({ message: ignore, failed: ignore, closed: ignore, error: ignore });
}
