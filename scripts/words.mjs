// The words after the name of one of our programs: what a script, a long test or a bench takes. A word that it does not know
// ends it before it has done anything.
import { basename } from 'node:path';
import { parseArgs } from 'node:util';

const program = () => basename(process.argv[1] ?? '');

/**
 * Reads the command line; an unknown word is named on stderr, and the program ends with 2.
 *
 * @param options as `parseArgs` of `node:util` takes them
 * @param names which words without a dash may come: a list of them, or at most how many of any; none unless given
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

/** A number of the command line, or `otherwise`; ends the program with 2 for anything else. */
export function numberOf(value, otherwise, name) {
  if (value === undefined) return otherwise;
  if (/^\d+(?:\.\d+)?$/.test(value)) return Number(value);
  console.error(`${program()}: --${name} takes a number, not ${JSON.stringify(value)}`);
  process.exit(2);
}
