import { Host, HostError } from '../../host/index.ts';
import { fileLog, resolvePath } from '../../host/node/index.ts';
import { visible } from '../../explain/safe-text.ts';
import { name as nameOf } from '../../explain/words.ts';
import { ConnectionError } from '../../jsonrpc/index.ts';
import { errorMessage } from '../../jsonrpc/internal-exports.ts';
import type { Command } from '../command.ts';
import { configurationOptions, readWords } from '../client-options.ts';
import { consentedBeforehand, consentHelp, consentOptions } from '../consent.ts';
import { configurationHelp, readConfiguration, userStore } from '../configuration.ts';
import { openDesk } from '../desk.ts';
import { exitCodes, Refused, WrongUse } from '../exit-codes.ts';
import { changeLines, personAsModel, personAt } from '../host-person.ts';
import { hostCommands, slash } from '../host-commands.ts';
import type { HostShell } from '../host-commands.ts';
import { didYouMean } from '../near-miss.ts';
import { serverOpener } from '../open-server.ts';
import { outputColumns } from '../output.ts';
import { linesTo } from '../../host/node/lines.ts';
import { progressBar } from '../progress-bar.ts';
import { columnsFor, framed } from '../../host/node/frame.ts';
import type { FrameOptions } from '../../host/node/frame.ts';
import { openPrompter } from '../../host/node/prompter.ts';
import { style, wantsColour } from '../../host/node/style.ts';
import { isBelieved, rulesOf } from '../rules-file.ts';
import { splitWords } from '../words.ts';
import { logFile } from './log.ts';
import { version } from '../../judge/version.ts';

/** The most rows shown of a result; `--json` prints all. */
const maxResultRows = 1_000;

export const command: Command = {
  usage: '[options]',
  about: 'All servers of the configuration at one prompt, which lists, searches, calls and asks for consent.',
  options: [
    ...configurationHelp,
    ...consentHelp,
    ['--save FOLDER', 'saves images, audio and blobs there'],
    ['--json', 'prints each result as a line of JSON'],
    ['--verbose', 'shows what servers write to stderr'],
    ['--no-color', 'prints without colour'],
  ],
  example: 'barewire host --from claude-desktop',
  notes: [
    'A rule: { "server": "files", "tool": "write_*", "args": { "path": "/projects/**" }, "then": "allow" }. The first rule',
    'that fits decides. If none fits, a tool marked as read-only runs, and you are asked about any other. In a pipe nobody can',
    'be asked: a call that no rule, --yes or --allow allows is refused. "/NAME" gets a prompt, and "/" lists them; "help" lists',
    'the commands. The activity log records all requests and decisions: see barewire log.',
  ],
  async run(words, proc) {
    const read = readWords(words, {
      ...configurationOptions, ...consentOptions, save: { type: 'string' }, json: { type: 'boolean' }, verbose: { type: 'boolean' }, 'no-color': { type: 'boolean' },
    });
    const servers = await readConfiguration(proc, { config: read.text('config'), from: read.text('from') });
    if (Object.keys(servers).length === 0) throw new WrongUse('no server is configured; see --config and --from');
    const json = read.flag('json');
    const colours = style(!read.flag('no-color') && !json && wantsColour(proc.env, proc.stdout.isTTY === true));
    const atTerminal = proc.stdin.isTTY === true && proc.stdout.isTTY === true;
    const bar = progressBar(proc.stderr);
    const [out, err] = [linesTo(proc.stdout), linesTo(proc.stderr)];
    const note = (line: string): void => {
      bar.hide();
      err(line);
    };
    // Prints text from a server in a frame, so that it cannot be taken for our own output.
    const tell = (text: string, options: FrameOptions = {}): void =>
      framed(text, { columns: columnsFor(proc.stderr), dim: colours.dim, ...options }).forEach(note);
    const told = new Map<string, string>();
    let interrupted = 0;
    let running: AbortController | undefined;
    const onInterrupt = (): void => {
      interrupted++;
      if (interrupted > 1) proc.exit(exitCodes.interrupted);
      running?.abort(new Error('interrupted'));
    };
    proc.on('SIGINT', onInterrupt);
    const prompter = openPrompter(proc.stdin, atTerminal ? proc.stdout : proc.stderr, onInterrupt);
    const desk = openDesk(prompter);
    const host = new Host({
      info: { name: 'barewire', title: 'barewire in a terminal', version },
      servers,
      transport: serverOpener(proc.env),
      rules: rulesOf(read.text('rules'), proc.env),
      resolvePath,
      store: userStore(proc.env),
      log: fileLog(logFile(proc.env)),
      ...atTerminal && { person: personAt(desk, colours), model: personAsModel(desk) },
      onStderr: (server, line) => read.flag('verbose') && tell(line, { mark: `${nameOf(server)} │`, paint: colours.dim }),
      onError: (error, server) => {
        // onState has printed the reason.
        if (error instanceof HostError && error.code === 'server-down' && server !== undefined && told.has(server)) return;
        if (server !== undefined) note(colours.red(`${nameOf(server)}:`));
        tell(error.message, { paint: colours.red });
      },
      onState: (server, state, why) => {
        if (state === 'ready') told.delete(server);
        // The host retries, and each attempt may give another reason: report each state once.
        if ((state !== 'down' && state !== 'broken') || told.get(server) === state) return;
        told.set(server, state);
        note(colours.yellow(`${nameOf(server)} is ${state}`));
        if (why !== undefined) tell(why, { paint: colours.yellow });
      },
      onChanges: (_server, changes) => {
        for (const change of changes.filter(({ kind }) => kind === 'changed' || kind === 'renamed')) changeLines(change, colours, columnsFor(proc.stderr)).forEach(note);
      },
    });
    const shell: HostShell = {
      host, json, logFile: logFile(proc.env),
      piped: !proc.stdout.isTTY, note,
      render: { style: colours, columns: outputColumns(proc.stdout), save: read.text('save') },
      frame: atTerminal ? { columns: columnsFor(proc.stdout), rows: maxResultRows, dim: colours.dim } : undefined,
      consented: (server, tool) => consentedBeforehand(tool, {
        all: read.flag('yes'), allowed: read.texts('allow'), strict: read.flag('strict') || !isBelieved(servers[server]),
      }),
      ask: atTerminal ? (use) => desk.question(use) : undefined,
      write: (bytes) => {
        bar.hide();
        proc.stdout.write(bytes);
      },
      print: (line) => {
        bar.hide();
        if (json) proc.stdout.write(`${line}\n`);
        else out(line);
      },
      progress: (report) => bar.show(report),
    };
    let worst: number = exitCodes.good;
    try {
      if (atTerminal) note(colours.dim(`${Object.keys(servers).length} servers; "help" lists the commands, "quit" ends.`));
      for (;;) {
        const line = await desk.command(atTerminal ? 'barewire> ' : '');
        if (line === undefined) return interrupted > 0 ? exitCodes.interrupted : worst;
        running = new AbortController();
        interrupted = 0;
        const code = await obey(line, shell, { note, columns: columnsFor(proc.stderr) }, running.signal);
        running = undefined;
        bar.hide();
        interrupted = 0;
        if (code === 'quit') return worst;
        if (worst === exitCodes.good && !atTerminal) worst = code;
      }
    } finally {
      bar.hide();
      prompter.close();
      await host.close();
      proc.off('SIGINT', onInterrupt);
    }
  },
};

/** Runs one line that the user typed. Never rejects. */
async function obey(line: string, shell: HostShell, notes: { note(line: string): void; readonly columns: number }, signal: AbortSignal): Promise<number | 'quit'> {
  try {
    const [name, ...words] = splitWords(line);
    if (name === undefined || name.startsWith('#')) return exitCodes.good;
    if (name === 'quit' || name === 'exit') return 'quit';
    if (name === 'help') {
      const all = Object.values(hostCommands);
      const wide = Math.max(...all.map(({ usage }) => usage.length));
      for (const { usage, about } of all) shell.print(`  ${usage.padEnd(wide)}  ${about}`);
      shell.print(`  ${'/[SERVER/]PROMPT [key=value] ...'.padEnd(wide)}  gets a prompt; "/" lists them`);
      shell.print(`  ${'quit'.padEnd(wide)}  ends`);
      return exitCodes.good;
    }
    if (name.startsWith('/')) {
      await slash(shell, name.slice(1), words, signal);
      return exitCodes.good;
    }
    const found = Object.hasOwn(hostCommands, name) ? hostCommands[name] : undefined;
    if (!found) throw new WrongUse(`there is no command ${visible(name)}${didYouMean(name, Object.keys(hostCommands)) || '; "help" lists them'}`);
    return await found.run(shell, words, signal) ? exitCodes.failed : exitCodes.good;
  } catch (thrown) {
    const { red, dim } = shell.render.style;
    const frame = { columns: notes.columns, dim, paint: red };
    // The messages of `WrongUse` and `Refused` are ours; other messages may come from a server.
    for (const row of thrown instanceof WrongUse || thrown instanceof Refused ? [red(visible(thrown.message))] : framed(errorMessage(thrown), frame)) notes.note(row);
    if (signal.aborted) return exitCodes.interrupted;
    if (thrown instanceof WrongUse) return exitCodes.wrongUse;
    if (thrown instanceof Refused) return exitCodes.refused;
    if (thrown instanceof HostError && (thrown.code === 'refused' || thrown.code === 'tool-changed')) return exitCodes.refused;
    return thrown instanceof ConnectionError || (thrown instanceof HostError && thrown.code === 'server-down') ? exitCodes.notReached : exitCodes.failed;
  }
}
