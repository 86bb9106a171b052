#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { helpOf } from './command.ts';
import { commands, overview } from './commands.ts';
import { visible } from '../explain/safe-text.ts';
import { columnsFor, framed } from '../host/node/frame.ts';
import { errorMessage } from '../jsonrpc/errors.ts';
import { linesTo } from '../host/node/lines.ts';
import { exitCodes, isNotAccepted, NotReached, Refused, WrongUse } from './exit-codes.ts';

/** The version of the package: dist/lib/cli.js and dist/src/cli/main.js are not equally deep. */
function version(): string {
  for (const up of ['../../package.json', '../../../package.json']) {
    try {
      const manifest: unknown = JSON.parse(readFileSync(new URL(up, import.meta.url), 'utf8'));
      if (typeof manifest === 'object' && manifest !== null && 'version' in manifest) return String(manifest.version);
    } catch {
      // Not at this depth.
    }
  }
  return 'unknown';
}

async function main(words: readonly string[]): Promise<number> {
  const [first = ''] = words;
  const named = Object.hasOwn(commands, first) ? first : undefined;
  if (named === undefined) {
    if (first === '--version') {
      process.stdout.write(`${version()}\n`);
      return exitCodes.good;
    }
    if (first === '--help' || first === '-h' || first === 'help') {
      process.stdout.write(`${overview()}\n`);
      return exitCodes.good;
    }
  }
  // Without the name of a subcommand it is the tour.
  const name = named ?? 'tour';
  const listed = commands[name];
  if (!listed) throw new WrongUse(`there is no command ${name}`);
  const { command } = await listed.load();
  const own = named === undefined ? words : words.slice(1);
  const end = own.indexOf('--');
  const asked = (end < 0 ? own : own.slice(0, end)).some((word) => word === '--help' || word === '-h');
  if (named !== undefined && asked) {
    process.stdout.write(`${helpOf(name, command)}\n`);
    return exitCodes.good;
  }
  const code = await command.run(own);
  if (named === undefined && code === exitCodes.failed && /^[a-z]+$/.test(first)) {
    process.stderr.write(`barewire: ${first} is no command, and was taken for a program to tour; barewire --help lists the commands.\n`);
  }
  return code;
}

function codeOf(thrown: unknown): number {
  if (thrown instanceof WrongUse) return exitCodes.wrongUse;
  if (thrown instanceof Refused || isNotAccepted(thrown)) return exitCodes.refused;
  if (thrown instanceof NotReached) return exitCodes.notReached;
  return exitCodes.failed;
}

/** A server whose result lacks what the command has to print: `MalformedResult` of barewire/client, which is not loaded here. */
const isMalformedResult = (thrown: unknown): boolean => thrown instanceof Error && 'code' in thrown && thrown.code === 'malformed_result';

// A reader that has seen enough (`head`) is no failure of ours.
process.stdout.on('error', () => process.exit(exitCodes.good));

main(process.argv.slice(2)).then((code) => code, (thrown: unknown) => {
  const code = codeOf(thrown);
  const malformed = isMalformedResult(thrown);
  const write = linesTo(process.stderr);
  const frame = { columns: columnsFor(process.stderr) };
  if (code === exitCodes.failed && !malformed) {
    write('barewire failed:');
    // A stack is ours, and the message in it may be a server's.
    framed(thrown instanceof Error ? thrown.stack ?? thrown.message : String(thrown), frame).forEach(write);
  } else {
    write(`barewire: ${visible(errorMessage(thrown))}${malformed ? '; --json shows it as it came' : ''}`);
    if (thrown instanceof NotReached && thrown.said !== '') framed(thrown.said, frame).forEach(write);
  }
  if (code === exitCodes.wrongUse) process.stderr.write('barewire --help says how it is used.\n');
  return code;
}).then((code) => {
  // Everything is written first; children that are left are ended at exit.
  process.stdout.write('', () => process.exit(code));
});
