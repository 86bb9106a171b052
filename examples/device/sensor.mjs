// The program of the device: an engine with only the language, and six functions of the machine. Bytes pass as hexadecimal text.
import { manualClock } from 'barewire/clock';
import { compile } from 'barewire/schema';
import { frames, serveSerial } from 'barewire/serial';
import { asking, ServerCore, tools } from 'barewire/server';
import { addTextCoders } from './text-coders.mjs';

const { celsius, now, starts, uartWrite } = globalThis;
addTextCoders();

const clock = manualClock(now());
const sensor = tools({ validator: compile });
sensor.add('read', { description: 'The temperature', input: { type: 'object', properties: { unit: { type: 'string', enum: ['C', 'F'] } } } }, ({ unit = 'C' }) => (
  unit === 'C' ? `${celsius()} °C` : `${(celsius() * 1.8 + 32).toFixed(1)} °F`));
sensor.add('calibrate', { description: 'Takes what a person reads off as the truth' }, async (_args, ctx) => {
  const answer = await ctx.elicit('What does the thermometer say, in °C?', { celsius: { type: 'number', minimum: -50, maximum: 80 } });
  return answer.action === 'accept' ? `calibrated to ${answer.content.celsius} °C` : 'not calibrated';
});
sensor.add('wait', { description: 'Never ends by itself' }, () => new Promise(() => {}));

let receive;
const server = new ServerCore({ name: 'sensor', version: '1.0.0' }, { features: [sensor], asking: asking(), clock });
serveSerial(server, {
  write: (bytes) => uartWrite(Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')),
  read: (data) => {
    receive = data;
  },
}, { clock, framing: frames({ mtu: 40, newId: () => starts() * 1000 + Math.floor(clock.monotonic() % 1000) }) });

globalThis.uartRead = (hex) => receive(Uint8Array.from(hex.match(/../g) ?? [], (byte) => parseInt(byte, 16)));
globalThis.tick = (now) => clock.tick(now);
