// barewire in one process; one listener on node:http answers both eras.
import { createServer } from 'node:http';
import { httpListener } from 'barewire/http';
import { control } from '../servers/control.mjs';
import { build } from './barewire-tools.mjs';

const httpServer = createServer(httpListener(await build()));
httpServer.listen(0, '127.0.0.1');
control(httpServer);
