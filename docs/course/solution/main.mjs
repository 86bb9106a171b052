// The four roles of the course's program:
//   node main.mjs                        a server over stdio
//   node main.mjs http PORT              a server over HTTP
//   node main.mjs client COMMAND ARG...  a client of a server over stdio
//   node main.mjs client URL             a client of a server over HTTP
import { runClient } from './client.mjs';
import { httpLink } from './http-link.mjs';
import { serveHttp } from './http-server.mjs';
import { serveStdio, stdioLink } from './stdio.mjs';

const [role, target, ...rest] = process.argv.slice(2);
if (role === 'http') serveHttp(Number(target));
else if (role === 'client') process.exitCode = await runClient(/^https?:/.test(target) ? httpLink(target) : stdioLink(target, rest));
else serveStdio();
