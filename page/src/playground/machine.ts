// The parts of Node that the travel example uses, for a worker in a browser: a timer, and a disk in memory with one folder, /trip. The
// build replaces node:timers/promises, node:fs/promises, node:path and node:url by this file.

/** Resolves after `ms` milliseconds; rejects when `signal` aborts. */
export function setTimeout(ms: number, value?: unknown, { signal }: { readonly signal?: AbortSignal } = {}): Promise<unknown> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = globalThis.setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve(value);
    }, ms);
    signal?.addEventListener('abort', stop, { once: true });
  });
}

/** Files by their path; a folder has no text. */
const disk = new Map<string, string | undefined>([['/', undefined], ['/trip', undefined]]);

function refusal(code: string, path: string): Error {
  return Object.assign(new Error(`${code}: ${path}`), { code });
}

/** The absolute path; this disk has no links. */
export async function realpath(path: string): Promise<string> {
  const real = resolve(path);
  if (!disk.has(real)) throw refusal('ENOENT', path);
  return real;
}

/** Creates a file; fails if it exists. */
export async function writeFile(path: string, text: string): Promise<void> {
  if (disk.has(path)) throw refusal('EEXIST', path);
  if (!disk.has(resolve(path, '..'))) throw refusal('ENOENT', path);
  disk.set(path, text);
}

export const isAbsolute = (path: string): boolean => path.startsWith('/');

/** Joins the paths, from the last absolute one on, and removes `.` and `..`. */
export function resolve(...paths: readonly string[]): string {
  const parts: string[] = [];
  for (const path of paths) {
    if (isAbsolute(path)) parts.length = 0;
    for (const part of path.split('/')) {
      if (part === '..') parts.pop();
      else if (part !== '' && part !== '.') parts.push(part);
    }
  }
  return `/${parts.join('/')}`;
}

export const join = (...paths: readonly string[]): string => resolve(...paths);

/** The relative path from one path to another. */
export function relative(from: string, to: string): string {
  const [one, two] = [from, to].map((path) => resolve(path).split('/').filter(Boolean)) as [string[], string[]];
  let same = 0;
  while (same < one.length && one[same] === two[same]) same++;
  return [...one.slice(same).map(() => '..'), ...two.slice(same)].join('/');
}

/** The path of a `file:` URL. */
export function fileURLToPath(url: string): string {
  const { protocol, pathname } = new URL(url);
  if (protocol !== 'file:') throw new TypeError(`not a file: URL: ${url}`);
  return decodeURIComponent(pathname);
}
