import type { Command } from '../command.ts';
import { completionScripts } from '../completion-scripts.ts';
import { completionWords } from '../completion-words.ts';
import { exitCodes, WrongUse } from '../exit-codes.ts';

const shells = Object.keys(completionScripts);

export const command: Command = {
  usage: 'bash | zsh | fish',
  about: 'Writes the completion script for a shell: commands, options, servers of the configuration, tools.',
  options: [['--words -- WORD ...', 'prints completions of the last word; the scripts call it']],
  example: 'barewire completion bash >> ~/.bashrc',
  notes: [
    'zsh: source <(barewire completion zsh) in ~/.zshrc, behind compinit. fish: barewire completion fish >',
    '~/.config/fish/completions/barewire.fish. Completion starts no server and asks nobody: it knows the tools of configured',
    'servers that "list" or "call" has seen, and the servers of a folder\'s file only after you accepted it.',
  ],
  async run(words, proc, all) {
    const [first, separator, ...given] = words;
    if (first === '--words' && separator === '--') {
      const found = await completionWords(given, proc, all);
      if (found.length > 0) proc.stdout.write(`${found.join('\n')}\n`);
      return exitCodes.good;
    }
    const script = words.length === 1 ? Object.entries(completionScripts).find(([shell]) => shell === first)?.[1] : undefined;
    if (script === undefined) throw new WrongUse(`completion takes one of ${shells.join(', ')}`);
    proc.stdout.write(script);
    return exitCodes.good;
  },
};
