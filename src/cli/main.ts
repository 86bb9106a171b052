#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { helpOf } from './command.ts';
import { commands, overview } from './commands.ts';
import { exitCodes, MalformedResult, NotReached, Refused, WrongUse } from './exit-codes.ts';

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
  if (thrown instanceof Refused) return exitCodes.refused;
  if (thrown instanceof NotReached) return exitCodes.notReached;
  return exitCodes.failed;
}

// A reader that has seen enough (`head`) is no failure of ours.
process.stdout.on('error', () => process.exit(exitCodes.good));

main(process.argv.slice(2)).then((code) => code, (thrown: unknown) => {
  const code = codeOf(thrown);
  const ours = code === exitCodes.failed && !(thrown instanceof MalformedResult);
  const message = thrown instanceof Error ? ours ? thrown.stack ?? thrown.message : thrown.message : String(thrown);
  process.stderr.write(`barewire: ${message}\n`);
  if (code === exitCodes.wrongUse) process.stderr.write('barewire --help says how it is used.\n');
  return code;
}).then((code) => {
  // Everything is written first; children that are left are ended at exit.
  process.stdout.write('', () => process.exit(code));
});
