import { WrongUse } from './exit-codes.ts';

/**
 * Whether a word or an entry's `url` names a Unix socket (`unix:/run/trips.sock`) or a Windows named pipe (`pipe:trips`,
 * `\\.\pipe\trips`).
 */
export const isSocket = (word: string): boolean => /^(?:unix:|pipe:|[\\/]{2}[.?][\\/]pipe[\\/])/i.test(word);

/** Whether a server has an HTTP address. */
export const isHttp = (server: object): server is { readonly url: string; readonly headers?: Readonly<Record<string, string>> } =>
  'url' in server && typeof server.url === 'string' && !isSocket(server.url);

/** The path in a word that `isSocket` accepts. Throws `WrongUse` if this system has no such paths. */
export function socketPath(word: string): string {
  const [, scheme = '', rest = word] = /^(unix|pipe):(.*)$/is.exec(word) ?? [];
  const unix = scheme.toLowerCase() === 'unix';
  if (unix === (process.platform === 'win32')) throw new WrongUse(`${word}: ${unix ? 'Windows has pipes, such as pipe:trips' : 'only Windows has such pipes; a socket is unix:/PATH'}`);
  if (!unix) {
    const name = scheme === '' ? word.slice(9) : rest;
    if (name === '' || /[\\/\0]/.test(name)) throw new WrongUse(`${word}: a pipe is pipe:NAME`);
    return `\\\\.\\pipe\\${name}`;
  }
  // `unix:///run/x`, a URL without a host, means the same path.
  const path = rest.replace(/^\/\/(?=\/)/, '');
  if (!path.startsWith('/') || path.startsWith('//') || path.endsWith('/')) throw new WrongUse(`${word}: a socket is unix: and an absolute path`);
  return path;
}
