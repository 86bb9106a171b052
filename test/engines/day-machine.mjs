// A machine for day.mjs in virtual time: QuickJS-ng with the device's program, a serial line and a connection to the broker.
import ng from '@jitl/quickjs-ng-wasmfile-release-sync';
import { newQuickJSWASMModuleFromVariant } from 'quickjs-emscripten-core';

const engine = await newQuickJSWASMModuleFromVariant(ng);

/** Starts a machine. `limit`: maximum bytes of the engine. */
export function startMachine({ code, time, channel, broker, starts, limit }) {
  const runtime = engine.newRuntime();
  runtime.setMemoryLimit(limit);
  const context = runtime.newContext();
  const connections = new Map();
  let [on, timer] = [true, undefined];

  const used = () => runtime.computeMemoryUsage().consume((usage) => context.dump(usage).memory_used_size);
  const empty = used();
  const handleOf = (value) => (typeof value === 'number' ? context.newNumber(value) : context.newString(value));
  const run = (action) => {
    const value = context.unwrapResult(action()).consume((handle) => context.dump(handle));
    const jobs = runtime.executePendingJobs();
    if (jobs.error) context.unwrapResult(jobs);
    return value;
  };
  const ask = (name, ...given) => run(() => context.getProp(context.global, name).consume((called) => {
    const handles = given.map(handleOf);
    const result = context.callFunction(called, context.undefined, ...handles);
    for (const handle of handles) handle.dispose();
    return result;
  }));
  /** Calls a function of the device at the current time, and schedules its next timer. */
  const call = (name, ...given) => {
    if (!on) return;
    ask('tick', time.now());
    if (name !== 'tick') ask(name, ...given);
    timer?.stop();
    const due = ask('due');
    // The device's steady clock began at 0 at its start; the host's is offset by the start time.
    timer = due < 0 ? undefined : time.after(Math.max(1, due - (time.monotonic() - started)), () => call('tick'));
  };
  const give = (name, value) => context.newFunction(name, value).consume((handle) => context.setProp(context.global, name, handle));
  // The device's output is handled after it returns: the engine is not reentrant.
  const later = (action) => void setImmediate(action);

  give('now', () => context.newNumber(time.now()));
  give('starts', () => context.newNumber(starts));
  give('uartWrite', (handle) => {
    const bytes = Buffer.from(context.getString(handle), 'hex');
    later(() => on && channel.write(bytes));
  });
  give('mqtt', (...handles) => {
    const [connection, id, what, text] = handles.map((handle) => context.dump(handle));
    later(() => {
      if (!on) return;
      const given = JSON.parse(text);
      if (what !== 'connect') {
        const done = (error = '') => call('mqttDone', id, error);
        connections.get(connection)[what](...given).then(() => done(), (error) => done(error.message));
        return;
      }
      const made = broker.connect(given);
      connections.set(connection, made);
      made.on('connect', () => call('mqttEvent', connection, 'connect'));
      made.on('message', (topic, payload, packet) => call('mqttEvent', connection, 'message', topic, payload.toString(), JSON.stringify(packet)));
      made.on('close', () => {
        connections.delete(connection);
        call('mqttEvent', connection, 'close');
      });
    });
  });
  const started = time.monotonic();
  run(() => context.evalCode(code));
  channel.read((bytes) => call('uartRead', Buffer.from(bytes).toString('hex')), () => {});
  call('tick');

  return {
    /** The bytes of the engine above an empty context. */
    held: () => used() - empty,
    /** Cuts the power: only the broker notices. */
    stop() {
      on = false;
      timer?.stop();
      broker.cut(`sensor-${starts}`);
      context.dispose();
      runtime.dispose();
    },
  };
}
