import { systemClock } from '../../bounds/clock.ts';
import { fileStore, login, openBrowser, storedLogins } from '../../oauth/node/index.ts';
import type { Login } from '../../oauth/node/index.ts';
import { visible } from '../../explain/safe-text.ts';
import { errorMessage } from '../../jsonrpc/internal-exports.ts';
import type { Command } from '../command.ts';
import { configurationOptions, readWords } from '../client-options.ts';
import { readConfiguration } from '../configuration.ts';
import { exitCodes, Refused, WrongUse } from '../exit-codes.ts';
import { clientName, clientOf, loginFile } from '../open-server.ts';
import { jsonLine } from '../json-line.ts';
import { style, wantsColour } from '../../host/node/style.ts';
import { table } from '../terminal.ts';
import type { CommandProcess } from '../command-process.ts';

/** The address: the word itself, or that of the configured server with this name. */
async function addressOf(proc: CommandProcess, word: string | undefined, config: string | undefined, from: string | undefined): Promise<string> {
  if (word === undefined) throw new WrongUse('an address is missing, or a name from the configuration');
  if (/^https?:\/\//i.test(word)) {
    if (!URL.canParse(word)) throw new WrongUse(`${word} is not an address`);
    return word;
  }
  const servers = await readConfiguration(proc, { config, from, name: word });
  const found = Object.hasOwn(servers, word) ? servers[word] : undefined;
  if (!found) throw new WrongUse(`no server is called ${word}`);
  if (!('url' in found)) throw new WrongUse(`${word} is a program: it needs no login`);
  return found.url;
}

export const command: Command = {
  usage: '[options] ADDRESS | NAME',
  about: 'Logs in at a remote server: in the browser, once; list, call and the others use it from then on, and renew it.',
  options: [
    ['--no-browser', 'prints the address of the login page instead of opening a browser'],
    ['--scope TEXT', 'scopes to ask for, besides those that the server asks for'],
    ['--client-id ID', 'an already registered client, for a server without registration'],
    ['--again', 'logs in again, even if there is a login'],
    ['--config, --from', 'where servers are configured, as for call'],
  ],
  example: 'barewire login https://example.com/mcp',
  notes: ['Tokens are kept in oauth.json of the user\'s folder, which nobody else can read. barewire whoami shows logins without them.'],
  async run(words, proc) {
    const read = readWords(words, {
      ...configurationOptions, 'no-browser': { type: 'boolean' }, scope: { type: 'string' }, 'client-id': { type: 'string' }, again: { type: 'boolean' },
    }, true);
    const server = await addressOf(proc, read.rest[0], read.text('config'), read.text('from'));
    const auth = login({
      server,
      client: clientOf(read.text('client-id') ?? clientName),
      store: fileStore({ path: loginFile(proc.env) }),
      scope: read.text('scope'),
      onAuthorize: (url) => (read.flag('no-browser') ? void proc.stderr.write(`Log in here: ${url.href}\n`) : openBrowser(url)),
    });
    proc.once('SIGINT', () => proc.exit(exitCodes.interrupted));
    if (read.flag('again')) await auth.signOut();
    try {
      await auth.authorize();
    } catch (thrown) {
      throw new Refused(`the login failed: ${visible(errorMessage(thrown))}`);
    }
    const mine = (await storedLogins(loginFile(proc.env))).find((one) => one.server === new URL(server).href);
    proc.stdout.write(mine
      ? `Logged in at ${visible(mine.issuer)}${mine.scope ? `, for ${visible(mine.scope)}` : ''}.\n`
      : `${visible(server)} did not ask for a login.\n`);
    return exitCodes.good;
  },
};

export const logout: Command = {
  usage: '[options] ADDRESS | NAME',
  about: 'Removes the tokens of a server from this machine.',
  options: [['--config, --from', 'where servers are configured, as for call']],
  example: 'barewire logout https://example.com/mcp',
  async run(words, proc) {
    const read = readWords(words, configurationOptions, true);
    const server = await addressOf(proc, read.rest[0], read.text('config'), read.text('from'));
    const mine = await loginsOf(proc.env, server);
    if (mine.length === 0) {
      proc.stdout.write('There was no login.\n');
      return exitCodes.good;
    }
    for (const { client } of mine) {
      await login({ server, client: clientOf(client), store: fileStore({ path: loginFile(proc.env) }) }).signOut();
    }
    proc.stdout.write('Logged out.\n');
    return exitCodes.good;
  },
};

export const whoami: Command = {
  usage: '[ADDRESS | NAME]',
  about: 'Shows the stored logins: server, issuer, scope and expiry; never a token.',
  options: [['--json', 'prints JSON'], ['--config, --from', 'where servers are configured, as for call']],
  example: 'barewire whoami',
  async run(words, proc) {
    const read = readWords(words, { ...configurationOptions, json: { type: 'boolean' } }, true);
    const [word] = read.rest;
    const logins = word === undefined ? await storedLogins(loginFile(proc.env)) : await loginsOf(proc.env, await addressOf(proc, word, read.text('config'), read.text('from')));
    const columns = proc.stdout.columns || 120;
    const { dim } = style(!read.flag('json') && wantsColour(proc.env, proc.stdout.isTTY === true));
    const lines = read.flag('json') ? [jsonLine(logins)]
      : logins.length === 0 ? ['There is no login.']
        : table(['server', 'issuer', 'scope', 'until'], logins.map((one) => [visible(one.server), visible(one.issuer), visible(one.scope ?? ''), until(one)]), { columns, head: dim });
    for (const line of lines) proc.stdout.write(`${line}\n`);
    return word !== undefined && logins.length === 0 ? exitCodes.failed : exitCodes.good;
  },
};

const loginsOf = async (env: CommandProcess['env'], server: string): Promise<Login[]> => (await storedLogins(loginFile(env))).filter((one) => one.server === new URL(server).href);

function until({ expiresAt, renewable }: Login): string {
  if (renewable) return 'renewed automatically';
  return expiresAt === undefined ? 'not known' : `${expiresAt < systemClock.now() ? 'expired ' : ''}${new Date(expiresAt).toISOString()}`;
}
