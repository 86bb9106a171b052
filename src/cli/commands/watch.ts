import { systemClock } from '../../bounds/clock.ts';
import { visible } from '../../explain/safe-text.ts';
import type { Command } from '../command.ts';
import { commonHelp, commonOptions, numberOf, readClientWords } from '../client-options.ts';
import { exitCodes } from '../exit-codes.ts';
import { jsonLine } from '../json-line.ts';
import { linesTo } from '../../host/node/lines.ts';
import { withClient } from '../with-client.ts';

export const command: Command = {
  usage: '[options] TARGET [URI] ...',
  about: 'Reports each change of these resources and of every list, until Ctrl-C or --count changes.',
  options: [['--count N', 'ends after so many changes'], ...commonHelp],
  example: 'barewire watch http://127.0.0.1:3000/mcp travel://calendar',
  async run(words, proc) {
    const read = await readClientWords(proc, words, { ...commonOptions, count: { type: 'string' } });
    const most = numberOf(read)('count', 1, 1e9, true) ?? Infinity;
    let told = 0;
    let enough: () => void = () => {};
    const json = read.flag('json');
    const out = linesTo(proc.stdout);
    const say = (what: object, line: string): void => {
      if (told >= most) return;
      if (json) proc.stdout.write(`${jsonLine({ at: systemClock.now(), ...what })}\n`);
      else out(`${new Date(systemClock.now()).toISOString()}  ${line}`);
      if (++told >= most) enough();
    };
    return withClient(read, async ({ client, how, note, style }) => {
      for (const uri of read.rest) await client.subscribe(uri, how);
      if (!json) note(style.dim(`Watching ${read.rest.length > 0 ? `${read.rest.map(visible).join(', ')} and ` : ''}the lists; Ctrl-C ends it.`));
      await new Promise<void>((resolve, reject) => {
        enough = resolve;
        if (told >= most) resolve();
        how.signal?.addEventListener('abort', () => reject(how.signal?.reason as Error), { once: true });
      });
      return exitCodes.good;
    }, {
      endless: true,
      onListChanged: (list) => say({ changed: list }, `the list of ${list} changed`),
      onResourceUpdated: (uri) => say({ updated: uri }, `${visible(uri)} changed`),
    });
  },
};
