import { redactText, redactUrl } from '../transport/internal-exports.ts';
import type { ServerConfig } from '../host/index.ts';
import { isHttp } from './socket-target.ts';

/** A target as a report or a transcript names it: these files are passed on, so credentials in an address or a command line are left out. */
export const reportName = (target: string): string => (/^https?:/i.test(target) ? redactUrl(target) : redactText(target));

/** The user, the password and the values of the query in the address of a server: a message may repeat them. */
export function secretsInAddress(server: ServerConfig): string[] {
  if (!isHttp(server)) return [];
  const { username, password, searchParams, search } = new URL(server.url);
  const written = search.slice(1).split('&').map((pair) => pair.slice(pair.indexOf('=') + 1));
  return [username, password, ...searchParams.values(), ...written].filter((one) => one !== '');
}
