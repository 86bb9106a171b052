// barewire/mqtt: both roles over a broker in memory.
import { McpClient } from 'barewire/client';
import { mqttTransport, serveMqtt } from 'barewire/mqtt';
import { McpServer } from 'barewire/server';

/** A broker with only the features for one server and one client: whole topics, and `+` for an identifier. */
function broker() {
  const open = new Set();
  const retained = new Map();
  const later = (run) => void Promise.resolve().then(run);
  const fits = (filter, topic) => filter === topic || (filter.includes('+') && topic.startsWith(filter.slice(0, filter.indexOf('+'))));
  return () => {
    const on = {};
    const filters = new Map();
    const hear = (topic, text, packet) => later(() => on.message?.(topic, new TextEncoder().encode(text), packet));
    const self = { filters, hear };
    open.add(self);
    later(() => on.connect());
    return {
      on: (event, listener) => { on[event] = listener; },
      publishAsync: async (topic, text, { retain, properties }) => {
        if (retain) retained.set(topic, text);
        for (const other of open) {
          for (const [filter, nl] of other.filters) if (fits(filter, topic) && !(nl && other === self)) other.hear(topic, text, { properties });
        }
      },
      subscribeAsync: async (filter, { nl }) => {
        filters.set(filter, nl);
        for (const [topic, text] of retained) if (fits(filter, topic)) hear(topic, text, {});
      },
      unsubscribeAsync: async (filter) => void filters.delete(filter),
      endAsync: async () => void open.delete(self),
    };
  };
}

export async function run() {
  const connect = broker();
  const server = new McpServer({ name: 'exercise', version: '1' });
  server.tool('echo', {}, () => 'x');
  const serving = await serveMqtt(server, connect, { name: 'a/b', id: 'one' });
  const client = new McpClient({ name: 'test', version: '1' });
  await client.connect(mqttTransport(connect, { server: 'a/b' }));
  if ((await client.callTool('echo')).content[0].text !== 'x') throw new Error('no echo');
  await client.close();
  await serving.close();
}
