// createMcpHandler on node:http, with the guards its "Serve over HTTP" page puts in front.
import { createServer } from 'node:http';
import { localhostHostValidation, localhostOriginValidation, toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { control } from './control.mjs';
import { build } from './sdk-v2.mjs';

const handler = toNodeHandler(createMcpHandler(() => build({ modern: true })));
const validateHost = localhostHostValidation();
const validateOrigin = localhostOriginValidation();
const httpServer = createServer((req, res) => {
  if (!validateHost(req, res) || !validateOrigin(req, res)) return;
  void handler(req, res);
});
httpServer.listen(0, '127.0.0.1');
control(httpServer);
