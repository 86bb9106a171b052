// The program of a stdio server elsewhere: connects its standard streams to a socket.
import { connect } from 'node:net';

const socket = connect({ port: Number(process.argv[2]), host: '127.0.0.1' });
socket.on('error', () => process.exit()).on('close', () => process.exit());
socket.pipe(process.stdout);
process.stdin.pipe(socket);
process.stdout.on('error', () => process.exit());
