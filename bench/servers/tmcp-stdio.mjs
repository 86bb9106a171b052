import { StdioTransport } from '@tmcp/transport-stdio';
import { build } from './tmcp.mjs';

new StdioTransport(build()).listen();
