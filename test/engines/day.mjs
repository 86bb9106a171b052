// A day in virtual time: a device in QuickJS-ng, served at once over a line of 9,600 baud in frames and over MQTT. Clients come,
// call, are asked, and leave or are cut off; frames are dropped, flipped, repeated and delayed; the broker fails; the device
// loses its power. The engine's memory is measured each minute. Fails if a call is lost without an error, gets a wrong answer, or
// fails without a reset, and if the heap grows.
import { fileURLToPath } from 'node:url';
import { McpClient } from '../../dist/src/client/index.js';
import { frames, serialTransport } from '../../dist/src/transport/serial/index.js';
import { mqttTransport } from '../../dist/src/transport/mqtt/index.js';
import { Broker } from '../../dist/test/mqtt/broker.js';
import { randomOf } from '../../dist/test/random.js';
import { Line, VirtualTime } from '../../dist/test/serial/virtual.js';
import { bundle } from './bundle.mjs';
import { startMachine } from './day-machine.mjs';

const [second, minute, hour] = [1000, 60_000, 3_600_000];
/** Hours of the day at which the device loses power. */
const powerCuts = [8, 16];
const limit = 1_048_576;
/**
 * The allowed growth of the heap, relative to the second hour after a start (the first parses the source): the engine decides
 * itself when it collects.
 */
const growth = 1.03;

/** Counts of outcomes. */
const tally = () => ({ answered: 0, asked: 0, lost: 0, sessions: 0, reasons: new Map(), failures: [] });

/**
 * One host: clients one after another, each with calls, until the time is over. `open(client)` connects it; `end` closes or cuts
 * it.
 */
async function desk({ time, random, until, count, open, isReset }) {
  const pause = (ms) => new Promise((resolve) => void time.after(ms, resolve));
  const onElicit = () => {
    count.asked++;
    return { action: 'accept', content: { celsius: 20 } };
  };
  const text = async (client, name, args) => (await client.callTool(name, args, { timeoutMs: hour })).content[0].text;
  const calls = [
    async (client) => {
      const sent = 'ä'.repeat(1 + Math.floor(random() * 100));
      return await text(client, 'echo', { text: sent }) === sent;
    },
    async (client) => await text(client, 'measure', { unit: 'C' }) === '21',
    async (client) => await text(client, 'calibrate') === 'calibrated to 20',
  ];
  while (time.now() < until) {
    const client = new McpClient({ name: 'desk', version: '1.0.0' }, { clock: time, onElicit, revisions: ['2025-11-25'] });
    let end;
    try {
      end = await open(client);
      count.sessions++;
      const over = time.now() + 5 * minute + random() * 25 * minute;
      while (time.now() < Math.min(over, until)) {
        await pause(10 * second + random() * 40 * second);
        if (await calls[Math.floor(random() * calls.length)](client)) count.answered++;
        else count.failures.push('a wrong answer');
      }
    } catch (error) {
      // If the client could not connect, no call was lost.
      if (end) count.lost++;
      count.reasons.set(error.message, (count.reasons.get(error.message) ?? 0) + 1);
      if (!isReset(error.message)) count.failures.push(error.message);
      await pause(10 * second);
    }
    if (end) await end();
    else await client.close();
  }
}

const kib = (bytes) => Math.round(bytes / 1024);

/** Runs the day. `write` receives the lines of the table. */
export async function runDay({ hours, write }) {
  const code = await bundle('day', 'es2020', { entry: fileURLToPath(new URL('day-device.mjs', import.meta.url)), define: {} });
  const [time, random, broker] = [new VirtualTime(), randomOf(7), new Broker()];
  const line = new Line(time, random);
  const until = hours * hour;
  let starts = 0;
  const start = () => startMachine({ code, time, channel: line.end(1), broker, starts: ++starts, limit });
  let machine = start();
  const [serial, mqtt] = [tally(), tally()];
  let ids = 0;
  const over = Promise.all([
    desk({
      time, random, until, count: serial, isReset: (why) => why.includes('the other side was reset'),
      async open(client) {
        await client.connect(serialTransport(line.end(0), { clock: time, framing: frames({ newId: () => ++ids }), openMs: hour }));
        // A host that is cut off sends nothing; the next one takes over its end of the line.
        return random() < 0.5 ? () => client.close() : () => void line.end(0).read(() => {}, () => {}) ?? client.close();
      },
    }),
    desk({
      time, random, until, count: mqtt, isReset: (why) => /the connection to the broker was closed|went offline/.test(why),
      async open(client) {
        let clientId = '';
        const connect = (settings) => {
          ({ clientId } = settings);
          return broker.connect(settings);
        };
        await client.connect(mqttTransport(connect, { server: 'attic/sensor', clock: time, openMs: hour }));
        return random() < 0.5 ? () => client.close() : () => {
          broker.cut(clientId);
          return client.close();
        };
      },
    }),
  ]);
  const rows = [];
  let [falls, since, settled] = [0, 0, undefined];
  for (let at = 1; at <= hours; at++) {
    const rate = () => random() * 0.05;
    line.faults = { dropped: rate(), flipped: rate(), repeated: rate(), delayed: rate() };
    const fall = Math.floor(random() * 59);
    let [least, most] = [Infinity, 0];
    for (let now = 0; now < 60; now++) {
      if (now === fall) {
        broker.fall();
        falls++;
      }
      if (now === fall + 1) broker.up = true;
      await time.run((at - 1) * hour + (now + 1) * minute);
      const held = machine.held();
      [least, most] = [Math.min(least, held), Math.max(most, held)];
    }
    if (++since === 2) settled = { least, most };
    rows.push([at, serial.answered, serial.lost, mqtt.answered, mqtt.lost, serial.asked + mqtt.asked, kib(line.bytes), falls, starts - 1, kib(least), kib(most)]);
    console.log(`hour ${rows.at(-1).join(' | ')}`);
    if (settled && (least > settled.least * growth || most > settled.most * growth)) {
      throw new Error(`the heap grows: ${kib(least)} to ${kib(most)} KiB in hour ${at}, ${kib(settled.least)} to ${kib(settled.most)} in the second one after the start`);
    }
    if (powerCuts.includes(at) && at < hours) {
      machine.stop();
      machine = start();
      [since, settled] = [0, undefined];
    }
  }
  let ended = false;
  void over.then(() => {
    ended = true;
  });
  await time.run(until + 3 * hour, () => ended);
  await over;
  if (!ended) throw new Error('a call is lost without a word');
  for (const [name, { failures, answered, asked, sessions, reasons }] of Object.entries({ serial, mqtt })) {
    if (failures.length > 0) throw new Error(`${name}: ${failures.length} failures, such as ${failures.slice(0, 3).join('; ')}`);
    if (answered === 0 || asked === 0) throw new Error(`${name}: nothing was answered or asked`);
    console.log(`${name}: ${answered} calls answered, ${asked} questions, ${sessions} sessions${[...reasons].map(([why, times]) => `; ${times} × ${why}`).join('')}`);
  }
  machine.stop();
  write?.([
    '| hour | answered, line | lost to resets | answered, MQTT | lost to resets | questions | KiB on the line | falls of the broker | power cuts | heap at least, KiB | heap at most, KiB |',
    '|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|',
    ...rows.filter(([at]) => [1, 2, 4, 8, 9, 12, 16, 17, 20, 24].includes(at)).map((row) => `| ${row.join(' | ')} |`),
  ]);
}
