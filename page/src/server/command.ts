import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { HostError, readRules, readServers } from 'barewire/host';
import type { Rule, ServerConfig } from 'barewire/host';
import { visible } from 'barewire/explain';
import { chosenConfigFiles, fileStore, folderConsent, readConfigFiles } from 'barewire/host/node';
import { applications } from './applications.ts';
import { openInBrowser } from './browser.ts';
import { servePage } from './serve-page.ts';

/** The help of `barewire page`. */
export const help = `barewire page [options] [ADDRESS | -- PROGRAM [ARGUMENTS]]

Opens a page in the browser that shows servers, their wire, and every question that they ask.

  --config FILE   takes servers from this mcpServers file; default: servers.json of the user, and .mcp.json
  --from APP      takes servers from ${applications.join(', ')}
  --rules FILE    what is allowed, asked or denied; default: rules.json of the user
  --port N        the port on 127.0.0.1; default: a free one
  --no-open       only prints the address
  --help          prints this

The address holds a token after "#": anyone who has it may start programs here. It ends with Ctrl-C.`;

/** Runs the command with its arguments. Resolves with the exit code: 0 success, 2 wrong use, 3 refused, 4 the page could not start. */
export async function main(words: readonly string[]): Promise<number> {
  let read: ReturnType<typeof readWords>;
  try {
    read = readWords(words);
  } catch (thrown) {
    console.error(`barewire page: ${messageOf(thrown)}`);
    return 2;
  }
  if (read.help) {
    console.log(help);
    return 0;
  }
  let served: Awaited<ReturnType<typeof servePage>>;
  try {
    const folder = homeFolder();
    const servers = await serversOf(read);
    served = await servePage({ servers, rules: rulesOf(read.rules, folder), folder, port: read.port, ...read.from === undefined && { configuration: read.config ?? join(folder, 'servers.json') } });
  } catch (thrown) {
    console.error(`barewire page: ${visible(messageOf(thrown))}`);
    if (thrown instanceof HostError) return thrown.code === 'not-accepted' ? 3 : 2;
    return 4;
  }
  const ended = new Promise<void>((resolve) => process.once('SIGINT', resolve).once('SIGTERM', resolve));
  console.log(`The page is at ${served.url}`);
  console.log('Ctrl-C ends it.');
  const opened = read.open ? await openInBrowser(served.url) : undefined;
  await ended;
  await opened?.();
  await served.close();
  return 0;
}

function readWords(words: readonly string[]): { readonly config: string | undefined; readonly from: string | undefined; readonly rules: string | undefined; readonly port: number; readonly open: boolean; readonly help: boolean; readonly target: readonly string[] } {
  const end = words.indexOf('--');
  const { values, positionals } = parseArgs({
    args: [...end < 0 ? words : words.slice(0, end)], allowPositionals: true,
    options: { config: { type: 'string' }, from: { type: 'string' }, rules: { type: 'string' }, port: { type: 'string' }, 'no-open': { type: 'boolean' }, help: { type: 'boolean' } },
  });
  const port = Number((values.port ?? '0').trim() === '' ? NaN : values.port ?? 0);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new Error('--port takes a number up to 65535');
  if (values.from !== undefined && !applications.some((one) => one === values.from)) throw new Error(`--from takes one of ${applications.join(', ')}`);
  const program = end < 0 ? [] : words.slice(end + 1);
  if (positionals.length > 1 || (positionals.length > 0 && program.length > 0)) throw new Error('it takes one address, or one program behind "--"');
  const [address] = positionals;
  if (address !== undefined && !/^https?:\/\//i.test(address)) throw new Error(`${address} is not an address; a program follows "--"`);
  return {
    config: values.config, from: values.from, rules: values.rules, port, open: values['no-open'] !== true, help: values.help === true,
    target: address === undefined ? program : [address],
  };
}

/** The folder of the user's barewire files, as in the `barewire` command. */
function homeFolder(): string {
  return process.env['BAREWIRE_HOME'] ?? join(process.env['XDG_CONFIG_HOME'] ?? join(homedir(), '.config'), 'barewire');
}

/** The server of the command line, or the servers of the configuration. */
async function serversOf({ config, from, target: [first, ...args] }: ReturnType<typeof readWords>): Promise<Record<string, ServerConfig>> {
  if (first !== undefined) {
    const entry = /^https?:\/\//i.test(first) ? { url: first } : { command: first, args };
    return readServers({ mcpServers: { server: entry } }, () => undefined);
  }
  const application = applications.find((one) => one === from);
  return readConfigFiles(chosenConfigFiles({ config, from: application, home: homeFolder() }), {
    accept: folderConsent(fileStore(join(homeFolder(), 'store'))),
    onProblem: (error) => console.error(`barewire page: a file of this folder was left out: ${visible(error.message)}`),
  });
}

function rulesOf(file: string | undefined, folder: string): readonly Rule[] {
  const path = file ?? join(folder, 'rules.json');
  if (file === undefined && !existsSync(path)) return [];
  try {
    return readRules(JSON.parse(readFileSync(path, 'utf8')));
  } catch (thrown) {
    throw new HostError('bad-config', `${path}: ${messageOf(thrown)}`);
  }
}

const messageOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));
