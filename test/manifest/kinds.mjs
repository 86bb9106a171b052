// Everything outside itself that a program can touch, by kind. A name without a row fails the manifest run, so each new global or
// module must be classified first.
import globals from 'globals';

/** The kinds, in the order in which the manifest shows them. */
export const kinds = ['network', 'files', 'storage', 'processes', 'environment', 'streams', 'clock', 'randomness', 'code', 'other'];

const rows = {
  network: ['fetch', 'WebSocket', 'EventSource', 'XMLHttpRequest', 'node:http', 'node:https', 'node:http2', 'node:net', 'node:tls', 'node:dns', 'node:dns/promises', 'node:dgram'],
  files: ['node:fs', 'node:fs/promises', 'process.umask'],
  storage: ['indexedDB', 'localStorage', 'sessionStorage', 'caches'],
  processes: ['node:child_process', 'node:cluster', 'node:worker_threads', 'Worker', 'process.kill', 'process.exit', 'process.exitCode', 'process.on', 'process.once', 'process.off', 'process.listenerCount', 'process.listeners', 'process.pid', 'process.ppid', 'process.send', 'process.disconnect', 'process.connected', 'process.emitWarning', 'process.removeListener', 'process.prependListener', 'process.getuid', 'process.getgid', 'process.geteuid', 'process.reallyExit', 'process.report'],
  environment: ['process.env', 'process.argv', 'process.platform', 'process.cwd', 'process.execPath', 'process.version', 'process.versions', 'process.arch', 'node:os', 'node:process', 'navigator', 'location', 'import.meta'],
  streams: ['process.stdin', 'process.stdout', 'process.stderr', 'console', 'node:readline', 'node:readline/promises', 'node:tty', 'console._stdout', 'console._stderr'],
  clock: ['Date', 'performance', 'process.hrtime', 'setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'setImmediate', 'clearImmediate', 'AbortSignal.timeout', 'node:timers', 'node:timers/promises', 'process.nextTick', 'queueMicrotask'],
  randomness: ['Math.random', 'crypto', 'node:crypto'],
  code: ['eval', 'Function', 'WebAssembly', 'node:vm', 'node:module', 'process.binding', 'process.dlopen', 'import() of what is named at run time', 'a constructor taken from a value', 'Error.prepareStackTrace', 'process.getBuiltinModule as a value'],
  other: [
    'AbortController', 'AbortSignal', 'Buffer', 'TextDecoder', 'TextEncoder', 'URL', 'URLSearchParams', 'Headers', 'Request', 'Response', 'ReadableStream', 'TransformStream', 'WritableStream', 'FormData', 'Blob',
    'DOMException', 'ByteLengthQueuingStrategy', 'CountQueuingStrategy', 'Event', 'EventTarget', 'MessageChannel', 'MessagePort', 'CustomEvent', 'structuredClone', 'atob', 'btoa', 'CompressionStream', 'DecompressionStream',
    'process.getBuiltinModule', 'process.memoryUsage', 'node:events', 'node:path', 'node:path/posix', 'node:path/win32', 'node:stream', 'node:stream/promises', 'node:stream/web', 'node:string_decoder', 'node:url', 'node:util', 'node:zlib', 'node:buffer', 'node:async_hooks', 'globalThis.process', 'globalThis in a variable name',
  ],
};
const kindOf = new Map(Object.entries(rows).flatMap(([kind, names]) => names.map((name) => [name, kind])));

/** The language's own globals, which touch nothing outside: not reported. */
const language = new Set(Object.keys(globals.builtin).filter((name) => !kindOf.has(name)).concat('undefined', 'NaN', 'Infinity', 'arguments'));

/** The kind of a name; undefined for the language's own. Throws for an unclassified name. */
export function kindOfName(name, where) {
  const kind = kindOf.get(name);
  if (kind) return kind;
  if (language.has(name)) return undefined;
  throw new Error(`${where}: ${name} stands in no row of test/manifest/kinds.mjs: judge what it touches`);
}

/** Objects whose members are classified one by one. */
export const byMember = new Set(['process', 'Math', 'AbortSignal']);
