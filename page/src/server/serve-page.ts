import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { readFileSync } from 'node:fs';
import { fetchProbe } from 'barewire/doctor';
import { explainHttp } from 'barewire/explain';
import { guarded, guardedUpgrade, ownAddress } from 'barewire/http';
import { fileLog, fileStore, resolvePath } from 'barewire/host/node';
import { isProgram } from 'barewire/host';
import type { Rule, ServerConfig, ToolSelection } from 'barewire/host';
import { formats } from 'barewire/schema';
import { compile } from 'barewire/schema/full';
import { TaskClient } from 'barewire/tasks';
import { PageHost, SavedCalls, Tasks } from '../host/index.ts';
import type { PageHostLimits } from '../host/index.ts';
import { importing } from './applications.ts';
import { callFileBeside } from './call-file.ts';
import { filesOf } from './files.ts';
import { judgeHere } from './judge.ts';
import { keptLogin, loginAt } from './login.ts';
import { openServer } from './open.ts';
import { serveSandbox } from './sandbox.ts';
import { savingTo } from './saving.ts';
import { defaultSocketLimits, socketsOf } from './sockets.ts';
import type { SocketLimits } from './sockets.ts';

export interface ServePageOptions {
  /** The servers by name, as `readServers` of barewire/host reads them. */
  readonly servers: Readonly<Record<string, ServerConfig>>;
  /** Rules that allow or deny calls, or require approval. Default: every call needs approval. */
  readonly rules?: readonly Rule[];
  /** Which tools of all servers are offered: `server/tool`, or only the tool's name. Default: all. */
  readonly tools?: ToolSelection;
  /**
   * The folder for pins, grants, the activity log and logins. Undefined: pins, grants and the log are kept in memory, and logins are off.
   */
  readonly folder?: string;
  /** The configuration file to which servers added in the page can be saved. Undefined: they cannot be saved. */
  readonly configuration?: string;
  /** The port on 127.0.0.1. Default: a free one. */
  readonly port?: number;
  readonly limits?: Partial<PageHostLimits & SocketLimits>;
}

export interface ServedPage {
  /** The address for a browser, with the token in its fragment, which browsers do not send to a server. */
  readonly url: string;
  readonly port: number;
  /** Stops all servers and disconnects all pages. Never rejects. */
  close(): Promise<void>;
}

/** Allows navigations from other sites, because a terminal, a file or a link may lead to this address. */
const guard = ownAddress(['127.0.0.1', 'localhost'], 'allowed');

/** Serves the page on 127.0.0.1. The token is required, because the page can start programs. Rejects if the port is taken. */
export async function servePage({ servers, rules, tools, folder, configuration, port = 0, limits }: ServePageOptions): Promise<ServedPage> {
  const token = randomBytes(32).toString('base64url');
  const tokensFile = folder === undefined ? undefined : join(folder, 'oauth.json');
  // Set once the server listens, which is before any login.
  let bound = 0;
  const sandbox = await serveSandbox(() => bound);
  const page = new PageHost({
    carrier: 'local',
    version: versionOf(),
    servers,
    explainHttp,
    client: (info, options) => new TaskClient(info, options),
    tasks: (onChange, onRemoved) => new Tasks(onChange, onRemoved),
    compile: (schema) => compile(schema, { formats }),
    open: (_name, config, { auth, ...hooks }) => openServer(config, {
      ...hooks, auth: auth ?? ('url' in config && tokensFile !== undefined ? keptLogin(config.url, tokensFile) : undefined),
    }),
    probe: (config) => (isProgram(config) ? undefined : { url: config.url, send: fetchProbe(fetch, { headers: config.headers ?? {} }) }),
    ...tokensFile !== undefined && { login: (name, url, onStep) => loginAt(url, tokensFile, `http://127.0.0.1:${bound}/#/${encodeURIComponent(name)}/tools`, onStep) },
    ...folder !== undefined && { store: fileStore(join(folder, 'store')), log: fileLog(join(folder, 'activity.jsonl')) },
    ...configuration !== undefined && { saving: savingTo(configuration), savedCalls: new SavedCalls(callFileBeside(configuration)) },
    importing,
    judge: judgeHere,
    apps: { port: sandbox.port, open: sandbox.open, ownPorts: () => [bound, sandbox.port] },
    ...rules && { rules },
    ...tools && { tools },
    ...limits && { limits },
    resolvePath,
    memory: () => {
      const { rss, heapUsed } = process.memoryUsage();
      return { residentBytes: rss, heapBytes: heapUsed };
    },
  });
  const files = filesOf(sandbox.port);
  const sockets = socketsOf(page, token, { ...defaultSocketLimits, ...limits });
  const server = createServer(guarded(guard, files));
  server.on('upgrade', guardedUpgrade(guard, sockets.upgrade));
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => {
      sandbox.close();
      reject(error);
    });
    server.listen(port, '127.0.0.1', () => {
      server.removeAllListeners('error');
      resolve();
    });
  });
  ({ port: bound } = server.address() as AddressInfo);
  return {
    url: `http://127.0.0.1:${bound}/#token=${token}`,
    port: bound,
    async close() {
      sockets.close();
      sandbox.close();
      server.close();
      server.closeAllConnections();
      await page.close();
    },
  };
}

function versionOf(): string {
  const { version } = JSON.parse(readFileSync(new URL(import.meta.resolve('barewire/package.json')), 'utf8')) as { version: string };
  return version;
}
