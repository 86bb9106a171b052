import { connect } from 'node:net';

/**
 * The program that a client starts as its server: it forwards its streams to the judge, at this socket file or named pipe. Each connection
 * begins with a line: `streams` for the two streams, `left WORD` for how the client ends it. With `stays` it ignores the end of its input,
 * and SIGTERM.
 */
export function relay(path: string, stays: boolean): Promise<void> {
  return new Promise((resolve) => {
    const { stdin, stdout } = process;
    const socket = connect({ path, allowHalfOpen: true });
    const tell = (how: string, then: () => void = () => {}): void => {
      const told = connect({ path });
      told.on('error', () => {});
      told.on('close', then);
      told.end(`left ${how}\n`);
    };
    socket.on('error', () => {});
    socket.write('streams\n');
    stdin.pipe(socket, { end: false });
    stdin.on('end', () => tell('input'));
    stdin.on('error', () => tell('input'));
    stdout.on('error', () => {});
    socket.pipe(stdout, { end: false });
    // Its half of the connection would stay open, and so would the process, until the client signals.
    socket.on('end', () => socket.end());
    process.on('SIGTERM', () => {
      // This process ends with the socket, so tell the judge first.
      tell('signal', () => {
        if (!stays) socket.destroy();
      });
    });
    socket.on('close', () => resolve());
  });
}
