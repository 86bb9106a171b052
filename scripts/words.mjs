// The command-line arguments of a script, a long test or a bench. An unknown argument ends the program before it does anything.
import { basename } from 'node:path';
import { parseArgs } from 'node:util';

const program = () => basename(process.argv[1] ?? '');

/**
 * Reads the command line; an unknown word is reported on stderr, and the program exits with 2.
 *
 * @param options for `parseArgs` of `node:util`
 * @param names allowed words without a dash: a list, or their maximum number; default none
 * @returns {{ values: Record<string, string | boolean | undefined>, names: string[] }}
 */
export function readWords(options = {}, names = []) {
  try {
    const { values, positionals } = parseArgs({ options, allowPositionals: true, strict: true });
    const unknown = typeof names === 'number' ? positionals[names] : positionals.find((name) => !names.includes(name));
    if (unknown !== undefined) throw new TypeError(`unknown word ${JSON.stringify(unknown)}${names.length > 0 ? `: expected ${names.join(', ')}` : ''}`);
    return { values, names: positionals };
  } catch (error) {
    console.error(`${program()}: ${error.message.split('. To specify')[0]}`);
    process.exit(2);
  }
}

/** The number of a command-line option, or `otherwise`; exits with 2 for anything else. */
export function numberOf(value, otherwise, name) {
  if (value === undefined) return otherwise;
  if (/^\d+(?:\.\d+)?$/.test(value)) return Number(value);
  console.error(`${program()}: --${name} takes a number, not ${JSON.stringify(value)}`);
  process.exit(2);
}
