// A browser's page: client and in-page server.
import { http, memory, messagePort } from './channels.ts';
import { smoke } from './smoke.ts';

Object.assign(globalThis, { smokePage: () => smoke({ memory, 'message port': messagePort, 'fetch handler': http }) });
