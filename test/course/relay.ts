import { connect } from 'node:net';

// The reader's client starts this as its server. It connects its standard streams to the checker at the given port.
const socket = connect(Number(process.argv[2]), '127.0.0.1');
process.stdin.pipe(socket).pipe(process.stdout);
socket.on('error', () => process.exit(1));
process.stdout.on('error', () => process.exit(1));
socket.on('close', () => process.exit(0));
