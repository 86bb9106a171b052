// barewire in one process, on its own HTTP/1.1.
import { serveHttp } from 'barewire/http';
import { http1 } from 'barewire/http1/node';
import { control, served } from '../servers/control.mjs';
import { build } from './barewire-tools.mjs';

control(served(await serveHttp(await build(), { engine: http1 })));
