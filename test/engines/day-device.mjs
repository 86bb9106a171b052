// The device of day.mjs, in an engine with only the language: three tools over a framed serial line and over MQTT. The host
// provides `uartWrite(hex)`, `mqtt(connection, call, what, json)`, `now()` and `starts()`; it calls `uartRead`, `mqttEvent`,
// `mqttDone`, `tick` and `due`.
import { addTextCoders } from '../../examples/device/text-coders.mjs';
import { manualClock } from '../../src/clock.ts';
import { compile } from '../../src/schema/index.ts';
import { asking, ServerCore, tools } from '../../src/server/index.ts';
import { serveMqtt } from '../../src/transport/mqtt/index.ts';
import { frames, serveSerial } from '../../src/transport/serial/index.ts';

const { mqtt, now, starts, uartWrite } = globalThis;
addTextCoders();

const clock = manualClock(now());
const offered = tools({ validator: compile });
offered.add('echo', { input: { type: 'object', properties: { text: { type: 'string', maxLength: 400 } }, required: ['text'] } }, ({ text }) => text);
offered.add('measure', { input: { type: 'object', properties: { unit: { type: 'string', enum: ['C', 'F'] } } } }, ({ unit }, ctx) => {
  ctx.progress(1, 2);
  return unit === 'F' ? '69.8' : '21';
});
offered.add('calibrate', {}, async (_args, ctx) => {
  const answer = await ctx.elicit('What does the thermometer say?', { celsius: { type: 'number', minimum: -50, maximum: 80 } });
  return answer.action === 'accept' ? `calibrated to ${answer.content.celsius}` : 'not calibrated';
});
const server = new ServerCore({ name: 'device', version: '1.0.0' }, { features: [offered], asking: asking(), clock });

let read;
serveSerial(server, {
  write: (bytes) => uartWrite(Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')),
  read(data) {
    read = data;
  },
}, { clock, framing: frames({ newId: () => starts() * 65_536 + Math.floor(clock.monotonic() % 65_536) }) });

const listeners = new Map();
const waiting = new Map();
let [connections, calls] = [0, 0];

/** A connection to the broker; the host implements the other half. */
function connect(settings) {
  const connection = ++connections;
  const on = {};
  listeners.set(connection, on);
  const say = (what, ...given) => new Promise((resolve, reject) => {
    waiting.set(++calls, { resolve, reject });
    mqtt(connection, calls, what, JSON.stringify(given));
  });
  mqtt(connection, 0, 'connect', JSON.stringify(settings));
  return {
    on(event, listener) {
      on[event] = listener;
    },
    publishAsync: (topic, message, options) => say('publishAsync', topic, message, options),
    subscribeAsync: (filter, options) => say('subscribeAsync', filter, options),
    unsubscribeAsync: (filter) => say('unsubscribeAsync', filter),
    endAsync: () => say('endAsync'),
  };
}

serveMqtt(server, connect, { name: 'attic/sensor', id: `sensor-${starts()}`, clock }).catch((error) => {
  throw error;
});

Object.assign(globalThis, {
  uartRead: (hex) => read(Uint8Array.from(hex.match(/../g) ?? [], (byte) => parseInt(byte, 16))),
  mqttEvent(connection, event, topic, text, packet) {
    const listener = listeners.get(connection)?.[event];
    if (event === 'close') listeners.delete(connection);
    if (event === 'message') listener?.(topic, new TextEncoder().encode(text), JSON.parse(packet));
    else if (event === 'error') listener?.(new Error(text));
    else listener?.();
  },
  mqttDone(call, error) {
    const { resolve, reject } = waiting.get(call);
    waiting.delete(call);
    if (error === '') resolve();
    else reject(new Error(error));
  },
  tick: (now) => clock.tick(now),
  due: () => clock.due ?? -1,
});
