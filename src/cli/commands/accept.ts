import { resolve } from 'node:path';
import { HostError } from '../../host/index.ts';
import { acceptedFiles, folderConsent, folderFileLines, readFolderFile } from '../../host/node/index.ts';
import { columnsFor } from '../../host/node/frame.ts';
import { linesTo } from '../../host/node/lines.ts';
import type { Command } from '../command.ts';
import { readWords } from '../client-options.ts';
import { userStore } from '../configuration.ts';
import { exitCodes, Refused, WrongUse } from '../exit-codes.ts';

export const command: Command = {
  usage: '[options] [FILE]',
  about: 'Shows a file of servers that came with a folder, and accepts it; default: .mcp.json of this folder.',
  options: [
    ['--digest SHA256', 'accepts it without a question, if this is its digest'],
    ['--forget', 'withdraws the acceptance'],
  ],
  example: 'barewire accept .vscode/mcp.json',
  notes: [
    'The file of a repository names programs that would run as you. It is used only after you accept it, and if it changes',
    'it is shown again. Settings that only you may make (trusted, roots, maxSampledTokens) are left out, and your own entry',
    'of the same name is used instead. The programs that it names may change while the file does not.',
  ],
  async run(words, proc) {
    const read = readWords(words, { digest: { type: 'string' }, forget: { type: 'boolean' } }, true);
    const [name = '.mcp.json', ...more] = read.rest;
    if (more.length > 0) throw new WrongUse('expected one file');
    const path = resolve(proc.cwd(), name);
    const accepted = acceptedFiles(userStore(proc.env));
    const out = linesTo(proc.stdout);
    if (read.flag('forget')) {
      const known = await accepted.forget((await readFolderFile(path).catch(() => undefined))?.file ?? path);
      out(known ? 'The acceptance was withdrawn.' : 'It was not accepted.');
      return exitCodes.good;
    }
    const file = await readFolderFile(path).catch((thrown: unknown) => {
      throw thrown instanceof HostError ? new WrongUse(thrown.message) : thrown;
    });
    if (!file) throw new WrongUse(`there is no file ${name}`);
    const digest = read.text('digest');
    const state = await accepted.state(file);
    if (digest === undefined && state !== 'accepted') {
      if (!await folderConsent(userStore(proc.env), { input: proc.stdin, output: proc.stderr })(file)) throw new Refused('it was not accepted');
    } else {
      folderFileLines(file, state, columnsFor(proc.stdout)).forEach(out);
      if (digest !== undefined && digest !== file.digest) throw new Refused(`it was not accepted: its digest is ${file.digest}`);
      await accepted.accept(file);
    }
    out(`${file.file} is accepted, until it changes.`);
    return exitCodes.good;
  },
};
