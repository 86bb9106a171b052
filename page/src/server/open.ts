import { isProgram } from 'barewire/host';
import type { ServerConfig } from 'barewire/host';
import { httpTrace, httpTransport } from 'barewire/http';
import { stdioTransport } from 'barewire/stdio';
import type { ClientTransport } from 'barewire/client';
import type { OpenHooks } from '../host/index.ts';

/** Opens the transport to a program (stdio) or an address (HTTP). The trace gets all messages. */
export function openServer(config: ServerConfig, { trace, onStderr, auth }: OpenHooks): ClientTransport {
  if (isProgram(config)) {
    const { command, args = [], env, cwd } = config;
    return stdioTransport(command, [...args], { trace, onStderr, ...env && { env: { ...env } }, ...cwd !== undefined && { cwd } });
  }
  const own = Object.keys(config.headers ?? {}).some((name) => name.toLowerCase() === 'authorization');
  return httpTransport(config.url, {
    around: httpTrace(trace), ...config.headers && { headers: config.headers }, ...auth && !own && { auth },
  });
}
