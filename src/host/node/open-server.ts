import { httpTransport } from '../../transport/http/fetch/index.ts';
import type { ClientTransport } from '../../transport/port.ts';
import { stdioTransport } from '../../transport/stdio/index.ts';
import { isProgram } from '../config.ts';
import type { ServerConfig } from '../config.ts';
import type { TransportHooks } from '../host.ts';

/** Opens a server of the configuration: a program over its pipes, an address over HTTP. For `HostOptions.transport`. */
export function openServer(_name: string, config: ServerConfig, hooks: TransportHooks): ClientTransport {
  if (!isProgram(config)) return httpTransport(config.url, { trace: hooks.trace, ...config.headers && { headers: config.headers } });
  const { command, args = [], env, cwd } = config;
  return stdioTransport(command, [...args], { ...hooks, ...env && { env: { ...env } }, ...cwd !== undefined && { cwd } });
}
