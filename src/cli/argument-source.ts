import { readFileSync } from 'node:fs';
import { errorMessage } from '../jsonrpc/internal-exports.ts';
import { WrongUse } from './exit-codes.ts';

/** Reads arguments from outside the command line: the text of a file, or of stdin if the name is `-`. */
export type ArgumentSource = (name: string) => string;

/** Reads files, and stdin unless `stdin` is false because commands come from there. Throws `WrongUse` that names the file. */
export function sourceOf(stdin: boolean): ArgumentSource {
  let read: string | undefined;
  return (name) => {
    if (name === '-' && !stdin) throw new WrongUse('-: stdin already carries the commands');
    try {
      if (name === '-') return read ??= readFileSync(0, 'utf8');
      return readFileSync(name, 'utf8');
    } catch (thrown) {
      throw new WrongUse(`@${name}: ${errorMessage(thrown)} (write @@ for a text that begins with @)`);
    }
  };
}
