import { helpOf } from './command.ts';
import type { Command } from './command.ts';
import { commands, overview } from './commands.ts';
import { version } from '../judge/version.ts';
import { visible } from '../explain/safe-text.ts';
import { columnsFor, framed } from '../host/node/frame.ts';
import { errorMessage } from '../jsonrpc/internal-exports.ts';
import { linesTo } from '../host/node/lines.ts';
import { exitCodes, isNotAccepted, NotReached, Refused, WrongUse } from './exit-codes.ts';
import type { CommandProcess } from './command-process.ts';

async function obey(words: readonly string[], proc: CommandProcess): Promise<number> {
  const [first = '', ...others] = words;
  if (first === '--version' || first === '-V') {
    proc.stdout.write(`${version}\n`);
    return exitCodes.good;
  }
  if (first === 'help' && others[0] !== undefined) return help(others[0], proc);
  if (first === '--help' || first === '-h' || first === 'help') {
    proc.stdout.write(`${overview()}\n`);
    return exitCodes.good;
  }
  if (!Object.hasOwn(commands, first)) return bareTour(words, proc);
  const command = await load(first);
  const end = others.indexOf('--');
  const asked = (end < 0 ? others : others.slice(0, end)).some((word) => word === '--help' || word === '-h');
  // With --help, a command may explain an item that the words name.
  return (asked ? await command.explain?.(others, proc) ?? await help(first, proc) : undefined) ?? command.run(others, proc, commands);
}

/** Runs the tour if no command is named: of an address, or of a program after `--`. Other words are an error. */
async function bareTour(words: readonly string[], proc: CommandProcess): Promise<number> {
  const { readOptions } = await import('./options.ts');
  const read = readOptions(words, true);
  if ('word' in read) throw await noCommand(read.word);
  return (await load('tour')).run(words, proc, commands);
}

async function noCommand(word: string): Promise<WrongUse> {
  const { didYouMean } = await import('./near-miss.ts');
  const hint = didYouMean(word, Object.keys(commands)) || '.';
  return new WrongUse(`there is no command ${word}${hint} A program follows "--", as in: barewire -- ${word}`);
}

async function load(name: string): Promise<Command> {
  const listed = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!listed) throw await noCommand(name);
  return (await listed.load()).command;
}

async function help(name: string, proc: CommandProcess): Promise<number> {
  proc.stdout.write(`${helpOf(name, await load(name))}\n`);
  return exitCodes.good;
}

function codeOf(thrown: unknown): number {
  if (thrown instanceof WrongUse) return exitCodes.wrongUse;
  if (thrown instanceof Refused || isNotAccepted(thrown)) return exitCodes.refused;
  if (thrown instanceof NotReached) return thrown.code;
  return exitCodes.failed;
}

/** Recognises `MalformedResult` of barewire/client, which is not loaded here: the server's result lacks a required member. */
const isMalformedResult = (thrown: unknown): boolean => thrown instanceof Error && 'code' in thrown && thrown.code === 'malformed_result';

/**
 * Runs the command of these words, which stand after `barewire`. Resolves with the exit code when all output is written.
 * Reports errors on stderr and never rejects.
 */
export async function run(words: readonly string[], proc: CommandProcess): Promise<number> {
  try {
    return await obey(words, proc);
  } catch (thrown) {
    const code = codeOf(thrown);
    const malformed = isMalformedResult(thrown);
    const write = linesTo(proc.stderr);
    const frame = { columns: columnsFor(proc.stderr) };
    const said = thrown instanceof NotReached ? thrown.said : undefined;
    if (code === exitCodes.failed && !malformed && said === undefined) {
      write('barewire failed:');
      // The stack is ours, but its message may come from a server.
      framed(thrown instanceof Error ? thrown.stack ?? thrown.message : String(thrown), frame).forEach(write);
    } else {
      write(`barewire: ${visible(errorMessage(thrown))}${malformed ? '; --json shows it unchanged' : ''}`);
      if (said) framed(said, frame).forEach(write);
    }
    if (code === exitCodes.wrongUse) proc.stderr.write('barewire --help says how it is used.\n');
    return code;
  }
}
