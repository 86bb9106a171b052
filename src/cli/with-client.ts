import { ConnectionError, HttpError, McpClient, RpcError } from '../client/index.ts';
import type { CallOptions } from '../client/index.ts';
import { visible } from '../explain/safe-text.ts';
import { name as nameOf } from '../explain/words.ts';
import type { Bag } from '../jsonrpc/index.ts';
import { errorMessage } from '../jsonrpc/internal-exports.ts';
import { compile } from '../schema/index.ts';
import { answersOf } from './answers.ts';
import type { ClientWords } from './client-options.ts';
import { exitCodes, NotReached } from './exit-codes.ts';
import type { WithPrompter } from './missing-arguments.ts';
import { openPrompter } from '../host/node/prompter.ts';
import { serverOpener } from './open-server.ts';
import { outputColumns } from './output.ts';
import type { Output } from './output.ts';
import { progressBar } from './progress-bar.ts';
import { jsonLine } from './json-line.ts';
import { linesTo } from '../host/node/lines.ts';
import { columnsFor, framed } from '../host/node/frame.ts';
import type { FrameOptions } from '../host/node/frame.ts';
import { style, wantsColour } from '../host/node/style.ts';
import type { Style } from '../host/node/style.ts';
import type { CommandProcess } from './command-process.ts';
import { version } from '../judge/version.ts';

/** Milliseconds after the last key until a person counts as absent. */
const patienceMs = 5 * 60_000;

/** The client and output of a subcommand. */
export interface CommandSession extends Output {
  readonly client: McpClient;
  /** Options for each request: timeout, progress bar, and Ctrl-C. */
  readonly how: CallOptions;
  /** Provides the prompter for one question; undefined: nobody can be asked. Ctrl-C there ends the command. */
  readonly ask: WithPrompter | undefined;
  readonly style: Style;
}

export interface SessionOptions {
  readonly onListChanged?: (list: 'tools' | 'resources' | 'prompts') => void;
  readonly onResourceUpdated?: (uri: string) => void;
  /** Ctrl-C is the normal end of the command. */
  readonly endless?: boolean;
}

/** A client for `--json`, which prints results without checking them. */
class RawClient extends McpClient {
  protected override checkResult(): void {}
}

/** Opens the prompter for each question. Rejects with the signal's reason after Ctrl-C. */
function lender(proc: CommandProcess, onInterrupt: () => void, interrupt: AbortSignal): WithPrompter {
  return async (use) => {
    const prompter = openPrompter(proc.stdin, proc.stderr, onInterrupt);
    try {
      const answer = await use(prompter);
      interrupt.throwIfAborted();
      return answer;
    } finally {
      prompter.close();
    }
  };
}

/**
 * Connects, runs, and always closes. The first Ctrl-C cancels the running request, the second ends the program. Rejects
 * with `NotReached` if the server cannot be reached.
 */
export async function withClient(
  words: ClientWords, run: (session: CommandSession) => Promise<number>, options: SessionOptions = {},
): Promise<number> {
  const { proc } = words;
  const json = words.flag('json');
  const colours = style(!words.flag('no-color') && !json && wantsColour(proc.env, proc.stdout.isTTY === true));
  const note = linesTo(proc.stderr);
  const out = linesTo(proc.stdout);
  // Prints text from a server in a frame, so that it cannot be taken for our own output.
  const tell = (text: string, options: FrameOptions): void => framed(text, { columns: columnsFor(proc.stderr), dim: colours.dim, ...options }).forEach(note);
  const bar = progressBar(proc.stderr);
  const interrupt = new AbortController();
  const onInterrupt = (): void => {
    if (interrupt.signal.aborted) proc.exit(exitCodes.interrupted);
    interrupt.abort(new Error('interrupted'));
  };
  proc.on('SIGINT', onInterrupt);
  const atTerminal = proc.stdin.isTTY === true && proc.stderr.isTTY === true;
  const answers = answersOf({
    person: { present: atTerminal && !words.flag('defaults') },
    defaults: words.flag('defaults'),
    style: colours,
    terminal: { input: proc.stdin, output: proc.stdout },
    from: () => words.targetName,
    pause: () => bar.hide(),
    onInterrupt,
    resume: () => {},
    note,
    patienceMs,
  });
  let lastWords = '';
  let unseen = 0;
  // --json prints results unchecked.
  const client = new (json ? RawClient : McpClient)({ name: 'barewire', title: 'barewire in a terminal', version }, {
    ...words.revisions && { revisions: words.revisions },
    // npx may have to download the server first.
    limits: { timeoutMs: words.timeoutMs, probeTimeoutMs: Math.min(words.timeoutMs, 15_000) },
    validator: compile,
    onElicit: (form, context) => answers.onElicit(form, context),
    onElicitUrl: (page, context) => answers.onElicitUrl(page, context),
    logLevel: words.flag('verbose') ? 'debug' : 'warning',
    onLog: ({ level, data }) => tell(typeof data === 'string' ? data : JSON.stringify(data), { mark: `${nameOf(level)} │`, paint: colours.dim }),
    onError: (error) => {
      if (words.flag('verbose')) tell(error.message, { paint: colours.dim });
    },
    ...options.onListChanged && { onListChanged: options.onListChanged },
    ...options.onResourceUpdated && { onResourceUpdated: options.onResourceUpdated },
  });
  let failed = false;
  try {
    try {
      await client.connect(serverOpener(proc.env)(words.targetName, words.server, {
        trace: () => {},
        onStderr: (line) => {
          lastWords = line;
          if (words.flag('verbose')) tell(line, { mark: 'stderr │', paint: colours.dim });
          else unseen++;
        },
      }));
    } catch (thrown) {
      if (interrupt.signal.aborted) return exitCodes.interrupted;
      const why = errorMessage(thrown);
      const said = lastWords !== '' && !why.includes(lastWords) ? `\nIt said: ${lastWords}` : '';
      const unknown = thrown instanceof HttpError && thrown.status === 401 ? `; it wants a login: barewire login ${visible(words.targetName)}` : '';
      throw new NotReached(`${visible(words.targetName)} was not reached${unknown}`, `${why}${said}`);
    }
    const how: CallOptions = { signal: interrupt.signal, timeoutMs: words.timeoutMs, onProgress: (report) => bar.show(report) };
    const code = await run({
      client, how, json, style: colours, note,
      ask: atTerminal ? lender(proc, onInterrupt, interrupt.signal) : undefined,
      piped: !proc.stdout.isTTY,
      render: { style: colours, columns: outputColumns(proc.stdout), save: words.text('save') },
      write: (bytes) => {
        bar.hide();
        proc.stdout.write(bytes);
      },
      print: (line) => {
        bar.hide();
        // JSON stays on one line, however long.
        if (json) proc.stdout.write(`${line}\n`);
        else out(line);
      },
    });
    failed = code === exitCodes.failed;
    return code;
  } catch (thrown) {
    if (interrupt.signal.aborted) return options.endless ? exitCodes.good : exitCodes.interrupted;
    if (thrown instanceof RpcError) {
      const { code, message, data } = thrown;
      if (json) proc.stdout.write(`${jsonLine({ error: { code, message, data } })}\n`);
      else {
        note(colours.red(`The server answered with error ${code}:`));
        tell(message, { paint: colours.red });
      }
      failed = true;
      return exitCodes.failed;
    }
    if (thrown instanceof ConnectionError && thrown.reason === 'closed') throw new NotReached(`${visible(words.targetName)} closed the connection`, thrown.message);
    if (thrown instanceof ConnectionError) throw new NotReached(`${visible(words.targetName)} did not answer in time`, thrown.message, exitCodes.failed);
    throw thrown;
  } finally {
    bar.hide();
    proc.off('SIGINT', onInterrupt);
    await client.close();
    // A server may write the cause of a failed handler to stderr, perhaps after its answer, which has only an id.
    if (failed && unseen > 0) {
      note(colours.dim(`The server wrote ${unseen} ${unseen === 1 ? 'line' : 'lines'} to stderr: --verbose shows them.`));
    }
  }
}
