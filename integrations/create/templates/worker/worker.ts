import { fetchHandler } from 'barewire/fetch';
import { McpServer } from 'barewire/server';

const server = new McpServer({ name: 'clock', version: '0.1.0' });
server.tool('add_hours', {
  description: 'Adds hours to a time of day',
  input: { type: 'object', properties: { hour: { type: 'integer', minimum: 0, maximum: 23 }, hours: { type: 'integer' } }, required: ['hour', 'hours'] },
}, ({ hour, hours }) => String((((hour + hours) % 24) + 24) % 24));

/** Add your public host name to `allowedHosts` before you deploy it. */
export const handle = fetchHandler(server, { allowedHosts: ['localhost', 'clock.example'] });

export default { fetch: (request: Request): Promise<Response> => handle(request) };
