import { name as nameOf } from '../../explain/words.ts';
import type { Prompter } from './prompter.ts';

/** A line that is a command and not an answer. */
export type AnswerCommand = 'decline' | 'cancel' | 'back' | 'skip';

const commands: readonly string[] = ['decline', 'cancel', 'back', 'skip'];

/** Explains the commands to the person. */
export const commandHelp =
  'Enter takes the value in [brackets]. :skip omits a field, :back goes back, :decline and :cancel end the form.';

/** Shows lines to the person. */
export type Say = (...lines: readonly string[]) => void;

/** Reads a line or a command. A text that begins with a colon is typed with two. If `signal` fires, the answer is `cancel`. */
export async function readAnswerLine(
  prompter: Prompter, question: string, signal: AbortSignal | undefined, say: Say,
): Promise<string | { command: AnswerCommand }> {
  for (;;) {
    const line = await prompter.ask(question, signal);
    if (line === undefined) {
      say('', signal?.aborted ? 'The question is no longer asked.' : 'No answer.');
      return { command: 'cancel' };
    }
    if (!line.startsWith(':')) return line;
    if (line.startsWith('::')) return line.slice(1);
    const command = line.slice(1).trim();
    if (commands.includes(command)) return { command: command as AnswerCommand };
    say(`  There is no ${nameOf(line)}. ${commandHelp} A text that begins with a colon begins with two.`);
  }
}
