import { httpTransport } from '../../transport/http/fetch/index.ts';
import type { ClientTransport } from '../../transport/door.ts';
import { stdioTransport } from '../../transport/stdio/index.ts';
import { checkConfig, isProgram } from '../config.ts';
import type { ServerConfig } from '../config.ts';
import type { TransportHooks } from '../options.ts';

/**
 * Opens a server of the configuration: a program over its pipes, an address over HTTP. For `HostOptions.transport`. `graceMs`:
 * milliseconds in which a program has to end once its stdin is closed.
 */
export function openServer(_name: string, config: ServerConfig, { trace, onStderr, graceMs }: TransportHooks & { readonly graceMs?: number | undefined }): ClientTransport {
  checkConfig('openServer: config', config);
  if (!isProgram(config)) return httpTransport(config.url, { trace, ...config.headers && { headers: config.headers } });
  const { command, args = [], env, cwd } = config;
  return stdioTransport(command, [...args], { trace, onStderr, graceMs, ...env && { env: { ...env } }, ...cwd !== undefined && { cwd } });
}
