// A server of MCP over MQTT in a separate process: node server.mjs BROKER NAME ID
import mqtt from 'mqtt';
import { serveMqtt } from '../../../dist/lib/mqtt.js';
import { McpServer } from '../../../dist/lib/server.js';

const [broker, name, id] = process.argv.slice(2);
const server = new McpServer({ name: 'sensor', version: '1.0.0' });
server.tool('who', {}, () => id);
server.tool('ask', {}, async (_args, ctx) => {
  const answer = await ctx.elicit('Which unit?', { unit: { type: 'string' } });
  return `${id} in ${answer.content?.unit}`;
});
server.tool('never', {}, () => new Promise(() => {}));
await serveMqtt(server, (settings) => mqtt.connect(broker, settings), {
  name, id, presence: { description: `process ${id}` }, retryMs: 100, onError: (error) => process.stderr.write(`${error.message}\n`),
});
process.stdout.write('online\n');
