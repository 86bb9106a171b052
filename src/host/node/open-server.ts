import { httpTransport } from '../../transport/http/fetch/index.ts';
import type { ClientTransport } from '../../transport/internal-exports.ts';
import { stdioTransport } from '../../transport/stdio/index.ts';
import { checkConfig, isProgram } from '../config.ts';
import type { ServerConfig } from '../config.ts';
import type { TransportHooks } from '../options.ts';

/** Opens a server of the configuration: a program over its pipes, an address over HTTP. For `HostOptions.transport`. */
export function openServer(_name: string, config: ServerConfig, { trace, onStderr }: TransportHooks): ClientTransport {
  checkConfig('openServer: config', config);
  if (!isProgram(config)) return httpTransport(config.url, { trace, ...config.headers && { headers: config.headers } });
  const { command, args = [], env, cwd } = config;
  return stdioTransport(command, [...args], { trace, onStderr, ...env && { env: { ...env } }, ...cwd !== undefined && { cwd } });
}
