import { localParts } from '../ui/local-parts.ts';
import { start } from '../ui/start.ts';
import { tabName, takeToken } from './token.ts';
import { webSocketTo } from './web-socket.ts';

const root = document.getElementById('page');
if (root) start(root, webSocketTo(takeToken(), tabName()), localParts);
