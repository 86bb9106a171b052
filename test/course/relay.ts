import { connect } from 'node:net';

// The server that the reader's client starts is this: its standard streams are those of the checker, at the port named.
const socket = connect(Number(process.argv[2]), '127.0.0.1');
process.stdin.pipe(socket).pipe(process.stdout);
socket.on('error', () => process.exit(1));
process.stdout.on('error', () => process.exit(1));
socket.on('close', () => process.exit(0));
