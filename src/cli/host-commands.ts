import { findTools } from '../host/index.ts';
import type { CatalogueTool, Host } from '../host/index.ts';
import { logLines } from '../host/node/index.ts';
import { escapedJson, jsonLine } from './json-line.ts';
import { visible } from '../explain/safe-text.ts';
import { describeLine } from './commands/log.ts';
import { checkArguments } from './argument-check.ts';
import { sourceOf } from './argument-source.ts';
import { Refused, WrongUse } from './exit-codes.ts';
import { didYouMean } from './near-miss.ts';
import type { Tool } from '../protocol/index.ts';
import { completed } from './missing-arguments.ts';
import type { WithPrompter } from './missing-arguments.ts';
import { changeLines } from './host-person.ts';
import { showContents, showPrompt, showResult } from './output.ts';
import type { Output } from './output.ts';
import type { RenderOptions } from './render.ts';
import { table } from './terminal.ts';
import { textArguments } from './text-arguments.ts';
import { readArguments } from './tool-arguments.ts';

/** The environment of the prompt's commands. */
export interface HostShell extends Output {
  readonly host: Host;
  readonly logFile: string;
  /** The reason why a tool may run without asking; undefined: the person must be asked. */
  readonly consented: (server: string, tool: Tool) => string | undefined;
  /** Undefined: nobody can be asked. */
  readonly ask: WithPrompter | undefined;
  progress(report: { readonly progress: number; readonly total?: number | undefined; readonly message?: string | undefined }): void;
}

/** One command of the prompt. Resolves with true if a tool result has `isError`. */
export interface HostCommand {
  readonly usage: string;
  readonly about: string;
  run(shell: HostShell, words: readonly string[], signal: AbortSignal): Promise<boolean | void>;
}

function needed(words: readonly string[], what: string): readonly [string, ...string[]] {
  const [first, ...rest] = words;
  if (first === undefined) throw new WrongUse(`${what} is missing`);
  return [first, ...rest];
}

/** Prints the value as JSON, or as lines for a person. */
function show({ json, print }: HostShell, value: unknown, lines: () => readonly string[]): void {
  for (const line of json ? [jsonLine(value)] : lines()) print(line);
}

const firstLine = (text: string | undefined): string => visible((text ?? '').split('\n', 1)[0] ?? '');

function toolTable(tools: readonly CatalogueTool[], { columns, style }: RenderOptions): string[] {
  if (tools.length === 0) return ['none'];
  return table(['tool', 'hints', 'description'], tools.map(({ server, tool }) => {
    const { readOnlyHint, destructiveHint } = tool.annotations ?? {};
    return [visible(`${server}/${tool.name}`), readOnlyHint === true ? 'reads' : destructiveHint === false ? 'changes' : 'may destroy', firstLine(tool.description)];
  }), { columns, head: style.dim, whole: [0] });
}

/** The commands, in the order of the help. */
export const hostCommands: Readonly<Record<string, HostCommand>> = {
  servers: {
    usage: 'servers', about: 'all servers: state, revision, what they offer',
    async run(shell) {
      const all = (await shell.host.servers()).map(({ client, listed, ...one }) => ({
        ...one, revision: client?.revision?.version, tools: listed && Object.keys(listed.tools).length,
        resources: listed?.resources.length, prompts: listed?.prompts.length,
      }));
      const { columns, style } = shell.render;
      show(shell, all, () => table(['server', 'state', 'revision', 'tools', 'resources', 'prompts', ''], all.map((one) => [
        visible(one.name), one.disabled ? 'disabled' : one.state, one.revision ?? '', `${one.tools ?? ''}${one.hidden.length > 0 ? `, ${one.hidden.length} hidden` : ''}`, `${one.resources ?? ''}`, `${one.prompts ?? ''}`, visible(one.why),
      ]), { columns, head: style.dim, right: [3, 4, 5] }));
    },
  },
  list: {
    usage: 'list [SERVER]', about: 'tools, resources and prompts',
    async run(shell, [server]) {
      const catalogue = await shell.host.catalogue();
      const of = <T extends { readonly server: string }>(all: readonly T[]): T[] => all.filter((one) => server === undefined || one.server === server);
      const [tools, resources, prompts] = [of(catalogue.tools()), of(catalogue.resources()), of(catalogue.prompts())];
      const { columns, style } = shell.render;
      show(shell, { tools, resources, prompts }, () => [
        ...toolTable(tools, shell.render),
        ...resources.length > 0 ? ['', ...table(['resource', 'name'], resources.map(({ server: at, item }) => [visible(`${at} ${item.uri}`), visible(item.title ?? item.name)]), { columns, head: style.dim, whole: [0] })] : [],
        ...prompts.length > 0 ? ['', ...table(['prompt', 'description'], prompts.map(({ server: at, item }) => [visible(`${at} ${item.name}`), firstLine(item.description)]), { columns, head: style.dim, whole: [0] })] : [],
      ]);
    },
  },
  find: {
    usage: 'find WORDS', about: 'the tools that fit a request, best first',
    async run(shell, words) {
      const [first, ...rest] = needed(words, 'what to find');
      const tools = await findTools(shell.host, [first, ...rest].join(' '), 10);
      show(shell, tools, () => toolTable(tools, shell.render));
    },
  },
  call: {
    usage: 'call [SERVER/]TOOL [key=value | key:=JSON | JSON] ...', about: 'calls a tool, once it is allowed',
    async run(shell, words, signal) {
      const [name, ...given] = needed(words, 'the name of a tool');
      const { host, render, ask } = shell;
      const found = await toolCalled(host, name);
      const args = await completed(found.tool, readArguments(given, found.tool.inputSchema, sourceOf(false)), render.style, ask);
      checkArguments(found.tool, args);
      const result = await host.call(`${found.server}/${found.tool.name}`, args, { signal, consented: (tool) => shell.consented(found.server, tool), onProgress: (report) => shell.progress(report) });
      showResult(shell, result);
      return result.isError === true;
    },
  },
  read: {
    usage: 'read SERVER URI', about: 'reads a resource',
    async run(shell, [server, uri], signal) {
      if (server === undefined || uri === undefined) throw new WrongUse('expected a server and a URI');
      const result = await shell.host.readResource(server, uri, { signal });
      showContents(shell, result);
    },
  },
  get: {
    usage: 'get SERVER PROMPT [key=value] ...', about: 'gets a prompt',
    async run(shell, [server, prompt, ...given], signal) {
      if (server === undefined || prompt === undefined) throw new WrongUse('expected a server and a prompt');
      const result = await shell.host.getPrompt(server, prompt, textArguments(given), { signal });
      showPrompt(shell, result);
    },
  },
  refresh: {
    usage: 'refresh [SERVER]', about: 'lists servers again, and says what changed',
    async run(shell, [server]) {
      const names = server === undefined ? (await shell.host.servers()).filter(({ disabled }) => !disabled).map(({ name }) => name) : [server];
      for (const name of names) await shell.host.refresh(name);
      await hostCommands['changes']?.run(shell, [], new AbortController().signal);
    },
  },
  changes: {
    usage: 'changes', about: 'tools that changed since they were accepted, as diffs',
    async run(shell) {
      const changes = shell.host.pendingChanges();
      show(shell, changes, () => (changes.length === 0 ? ['No tool has changed since it was accepted.'] : changes.flatMap((change) => changeLines(change, shell.render.style, shell.render.columns))));
    },
  },
  accept: {
    usage: 'accept SERVER/TOOL ...', about: 'accepts the current definition of changed tools',
    async run({ host }, words) {
      for (const word of needed(words, 'the name of a tool, as SERVER/TOOL')) {
        const change = host.pendingChanges().find(({ server, name }) => `${server}/${name}` === word);
        if (!change) throw new WrongUse(`there is no pending change of ${word}`);
        await host.acceptChange(change);
      }
    },
  },
  grants: {
    usage: 'grants', about: 'permissions for more than one call',
    async run(shell) {
      const grants = await shell.host.grants();
      show(shell, grants, () => (grants.length === 0 ? ['none'] : grants.map(({ server, tool, at }) => `${visible(`${server}/${tool}`)}  since ${new Date(at).toISOString()}`)));
    },
  },
  revoke: {
    usage: 'revoke SERVER/TOOL', about: 'removes the permissions for a tool',
    async run(shell, words) {
      const [wanted] = needed(words, 'the name of a tool, as SERVER/TOOL');
      const count = await shell.host.revoke(({ server, tool }) => `${server}/${tool}` === wanted);
      show(shell, { revoked: count }, () => [count === 0 ? 'There was no permission for it.' : 'From now on each call needs consent again.']);
    },
  },
  log: {
    usage: 'log [N]', about: 'the last lines of the activity log; 20',
    async run(shell, [count = '20']) {
      const most = Number(count);
      if (!(Number.isInteger(most) && most > 0)) throw new WrongUse('log takes a number of lines');
      await shell.host.flushed();
      const last: string[] = [];
      for await (const line of logLines(shell.logFile)) {
        last.push(line);
        if (last.length > most) last.shift();
      }
      for (const line of last) shell.print(shell.json ? (shell.piped ? line : escapedJson(line)) : describeLine(line));
    },
  },
  stop: {
    usage: 'stop SERVER', about: 'ends a server; it is started again when it is needed',
    run: async ({ host }, words) => host.stop(needed(words, 'the name of a server')[0]),
  },
};

/**
 * Handles a line that begins with `/`: `/` lists prompts, `/PROMPT key=value` or `/SERVER/PROMPT` gets one. Rejects with
 * `WrongUse` if no server, or more than one, has this name.
 */
export async function slash(shell: HostShell, name: string, words: readonly string[], signal: AbortSignal): Promise<void> {
  const all = (await shell.host.catalogue()).prompts();
  if (name === '') {
    const { columns, style: { dim } } = shell.render;
    show(shell, all, () => (all.length === 0 ? ['No server has prompts.'] : table(['prompt', 'arguments', 'description'], all.map(({ server, item }) => [
      visible(`/${server}/${item.name}`), (item.arguments ?? []).map((one) => `${visible(one.name)}${one.required ? '' : '?'}`).join(' '), firstLine(item.description),
    ]), { columns, head: dim, whole: [0] })));
    return;
  }
  const found = all.filter(({ server, item }) => item.name === name || `${server}/${item.name}` === name);
  const [only, other] = found;
  if (!only) throw new WrongUse(`no server has a prompt ${visible(name)}${didYouMean(name, all.flatMap(({ server, item }) => [item.name, `${server}/${item.name}`])) || '; "/" lists them'}`);
  if (other) throw new WrongUse(`several servers have ${visible(name)}: ${found.map(({ server }) => visible(`/${server}/${name}`)).join(', ')}`);
  const missing = (only.item.arguments ?? []).filter((one) => one.required && !words.some((word) => word.startsWith(`${one.name}=`)));
  if (missing.length > 0) throw new WrongUse(`/${visible(name)} needs ${missing.map((one) => `${visible(one.name)}=…`).join(' ')}`);
  showPrompt(shell, await shell.host.getPrompt(only.server, only.item.name, textArguments(words), { signal }));
}

/** Finds a tool by `server/tool`, by its name in the catalogue, or by its own name if only one server has it. */
async function toolCalled(host: Host, name: string): Promise<CatalogueTool> {
  const catalogue = await host.catalogue();
  const known = catalogue.tool(name);
  if (known) return known;
  const same = catalogue.tools().filter(({ tool }) => tool.name === name);
  const [only] = same;
  if (only && same.length === 1) return only;
  // A renamed tool is not in the catalogue until it is accepted. The call shows the change.
  const waits = host.pendingChanges().find((change) => change.after !== undefined && (`${change.server}/${change.name}` === name || change.name === name));
  if (waits?.after) return { name, server: waits.server, tool: waits.after, digest: waits.digest ?? '' };
  const hiding = (await host.servers()).find(({ name: server, hidden }) => hidden.some((tool) => `${server}/${tool}` === name || tool === name));
  if (same.length === 0 && hiding) throw new Refused(`${visible(name)} was not called: ${visible(hiding.name)} has it, but a rule or the entry of the server does not offer it`);
  throw new WrongUse(same.length > 1
    ? `several servers have ${visible(name)}: ${same.map(({ server }) => visible(`${server}/${name}`)).join(', ')}`
    : `no server has a tool ${visible(name)}${didYouMean(name, catalogue.tools().flatMap(({ server, tool }) => [tool.name, `${server}/${tool.name}`])) || '; "find WORDS" looks for one'}`);
}
