import { parseArgs } from 'node:util';
import { visible } from '../explain/safe-text.ts';
import { linesTo } from '../host/node/lines.ts';
import { style, wantsColour } from '../host/node/style.ts';
import { errorMessage } from '../jsonrpc/internal-exports.ts';
import { allRules, jsonReport, judgeClient, textReport } from '../judge/index.ts';
import { clientProgram } from '../judge/node/client-bench.ts';
import { relay } from '../judge/node/relay.ts';
import type { CommandProcess } from './command-process.ts';
import { exitCodes, NotReached, WrongUse } from './exit-codes.ts';
import { jsonLine } from './json-line.ts';

/** `judge --client [options] -- PROGRAM …`: judges the client that a command starts. */
export async function judgedClient(words: readonly string[], proc: CommandProcess): Promise<number> {
  const end = words.indexOf('--');
  const command = end < 0 ? [] : words.slice(end + 1);
  if (command.length === 0) throw new WrongUse('judge --client takes the command of a client after --, with {url} or {program} where it names its server');
  const { json = false, all = false, verbose = false, quick, only: ids, seed, timeout, revision, ...rest } = valuesOf(words.slice(0, end));
  const only = ids?.split(',').map((id) => id.trim()).filter((id) => id !== '');
  for (const id of only ?? []) if (!allRules().has(id)) throw new WrongUse(`--only: there is no rule ${id}`);
  const colours = style(!json && rest['no-color'] !== true && wantsColour(proc.env, proc.stdout.isTTY === true));
  const write = linesTo(proc.stderr);
  const note = (line: string): void => write(colours.dim(line));
  let client;
  try {
    client = clientProgram({
      command, relay: [process.execPath, process.argv[1] ?? '', 'judge', '--relay'], env: proc.env,
      ...verbose && { onOutput: (text) => { for (const line of text.trimEnd().split('\n')) note(`client │ ${visible(line)}`); } },
    });
  } catch (thrown) {
    throw new WrongUse(errorMessage(thrown));
  }
  const ruling = await judgeClient(client, {
    only, quick, seed: wholeNumber('--seed', seed), ...timeout !== undefined && { startMs: 1000 * (wholeNumber('--timeout', timeout) ?? 30) }, revisions: revision,
    ...proc.stderr.isTTY && !json && { onStep: (what) => note(`${what} ...`) },
  });
  if (json) proc.stdout.write(`${jsonLine(jsonReport(ruling))}\n`);
  else textReport(ruling, { paint: colours, all }).split('\n').forEach(linesTo(proc.stdout));
  if (ruling.stopped !== undefined) throw new NotReached(`the client could not be judged: ${ruling.stopped}`);
  return ruling.judgements.some(({ verdict, level }) => verdict === 'broken' && level === 'MUST') ? exitCodes.failed : exitCodes.good;
}

function valuesOf(words: readonly string[]) {
  try {
    return parseArgs({
      args: [...words], strict: true, allowPositionals: false, options: {
        client: { type: 'boolean' }, json: { type: 'boolean' }, all: { type: 'boolean' }, verbose: { type: 'boolean' }, quick: { type: 'boolean' }, 'no-color': { type: 'boolean' },
        only: { type: 'string' }, seed: { type: 'string' }, timeout: { type: 'string' }, revision: { type: 'string', multiple: true },
      },
    }).values;
  } catch (thrown) {
    throw new WrongUse(`judge --client: ${errorMessage(thrown)}`);
  }
}

function wholeNumber(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 0 || text.trim() === '') throw new WrongUse(`${option} takes a whole number, not ${text}`);
  return value;
}

/** `judge --relay PATH [stays]`: the hidden server, started by the client. */
export async function relayed([path = '', how]: readonly string[]): Promise<number> {
  if (path === '') throw new WrongUse('judge --relay takes the path of a socket');
  await relay(path, how === 'stays');
  return exitCodes.good;
}
