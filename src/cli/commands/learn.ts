import type { Command } from '../command.ts';
import { companionHelp, runCompanion } from '../companion.ts';
import type { Companion } from '../companion.ts';

const learn: Companion = { packageName: 'barewire-learn', what: 'the course' };

export const command: Command = {
  usage: '[options] [read] [CHAPTER "COMMAND"]',
  about: 'The course: twelve chapters, in which you write a client and a server in any language; each is checked.',
  options: [
    ['--all', 'goes on after the first fault'],
    ['--wait MS', 'milliseconds that your program may take to start; 20000'],
    companionHelp(learn),
  ],
  example: 'barewire learn 1 "python3 my.py"',
  notes: [
    `The course is the package ${learn.packageName}: npx ${learn.packageName} runs it too. "read 1" prints a chapter; without`,
    'words it lists the chapters.',
  ],
  run: (words, proc) => runCompanion(learn, words, proc),
};
