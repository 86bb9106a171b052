// QuickJS with 4 MiB, and with only the language and two functions of the host.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { pathToFileURL } from 'node:url';
import { getQuickJS } from 'quickjs-emscripten';

const memoryLimit = 4 * 1024 * 1024;

/** A new runtime with the bundle loaded. */
function start(quickjs, code, onLine, onWrite = () => {}) {
  const runtime = quickjs.newRuntime();
  runtime.setMemoryLimit(memoryLimit);
  const context = runtime.newContext();
  let resolveReport;
  let rejectReport;
  const reported = new Promise((resolve, reject) => {
    resolveReport = resolve;
    rejectReport = reject;
  });
  reported.catch(() => {});
  let most = 0;

  function run(action) {
    try {
      context.unwrapResult(action()).dispose();
      const jobs = runtime.executePendingJobs();
      if (jobs.error) context.unwrapResult(jobs);
      const usage = runtime.computeMemoryUsage();
      most = Math.max(most, context.dump(usage).memory_used_size);
      usage.dispose();
    } catch (error) {
      rejectReport(error);
      throw error;
    }
  }

  // Output is delivered after the engine returns.
  const expose = (name, listen) => context.newFunction(name, (handle) => {
    const text = context.getString(handle);
    setImmediate(() => listen(text));
  }).consume((handle) => context.setProp(context.global, name, handle));
  expose('writeLine', (text) => onLine(text));
  expose('report', (text) => {
    const cells = JSON.parse(text);
    if (Array.isArray(cells)) resolveReport(cells);
    else rejectReport(new Error(cells));
  });
  context.newFunction('write', (connection, handle) => {
    const [id, text] = [context.getNumber(connection), context.typeof(handle) === 'undefined' ? undefined : context.getString(handle)];
    setImmediate(() => onWrite(id, text));
  }).consume((handle) => context.setProp(context.global, 'write', handle));
  context.newFunction('random', (octets) => context.newString(randomBytes(context.getNumber(octets)).toString('latin1')))
    .consume((handle) => context.setProp(context.global, 'random', handle));
  run(() => context.evalCode(code));

  return {
    reported,
    most: () => most,
    eval: (source) => run(() => context.evalCode(source)),
    readLine: (text) => run(() => context.newString(text).consume((line) =>
      context.getProp(context.global, 'readLine').consume((read) => context.callFunction(read, context.undefined, line)))),
    readOctets: (id, text) => run(() => {
      const args = [context.newNumber(id), text === undefined ? context.undefined : context.newString(text)];
      return context.getProp(context.global, 'readOctets').consume((read) => context.callFunction(read, context.undefined, ...args));
    }),
    end() {
      context.dispose();
      runtime.dispose();
    },
  };
}

/** Runs the suite against a server over HTTP/1.1 in QuickJS; this process owns the sockets. */
async function served(machine, code, smokeHttp, finish) {
  const sockets = new Map();
  const vm = start(machine, code, () => {}, (id, text) => {
    const socket = sockets.get(id);
    if (text === undefined) socket?.end();
    else socket?.write(text);
  });
  vm.eval('http()');
  let ids = 0;
  const server = createServer((socket) => {
    const id = ++ids;
    sockets.set(id, socket);
    socket.on('error', () => {});
    socket.on('data', (chunk) => vm.readOctets(id, chunk.toString('latin1')));
    socket.on('close', () => {
      sockets.delete(id);
      vm.readOctets(id, undefined);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cells = await smokeHttp(`http://127.0.0.1:${server.address().port}/mcp`);
  server.close();
  await Promise.all([...sockets.values()].map((socket) => once(socket.destroy(), 'close')));
  finish(vm);
  return cells;
}

export async function quickjs(bundles) {
  const machine = await getQuickJS();
  const code = readFileSync(bundles.bare, 'utf8');
  const { serveLines, smokeHttp, smokeLines } = await import(pathToFileURL(bundles.outside).href);
  const cells = [];
  let most = 0;
  const finish = (vm) => {
    most = Math.max(most, vm.most());
    vm.end();
  };

  const inside = start(machine, code, () => {});
  inside.eval('inside()');
  cells.push(...await inside.reported);
  finish(inside);

  // One QuickJS server for each connection, as a host starts one.
  const servers = [];
  cells.push(...await smokeLines((read) => {
    const server = start(machine, code, read);
    server.eval('serve()');
    servers.push(server);
    return (text) => setImmediate(() => server.readLine(text));
  }));
  servers.forEach(finish);
  cells.push(...await served(machine, code, smokeHttp, finish));

  const outside = serveLines((text) => setImmediate(() => client.readLine(text)));
  const client = start(machine, code, outside);
  client.eval('client()');
  cells.push(...await client.reported);
  finish(client);

  const { version } = createRequire(import.meta.url)('quickjs-emscripten/package.json');
  // Absent from a bare language; the error must name each.
  const lacks = ['AbortController', 'crypto.subtle'];
  return { lacks, title: `QuickJS ${version}, 4 MiB`, cells, note: `${(most / 1024).toFixed(0)} KiB of 4096 KiB in use, the most seen between two turns` };
}
