import { shorten } from '../bounds/quote.ts';
import { systemClock } from '../bounds/clock.ts';
import { visible } from '../explain/safe-text.ts';
import { openPrompter } from '../host/node/prompter.ts';
import { fillForm } from '../host/node/elicitation.ts';
import type { CompleteForm } from '../host/node/elicitation.ts';
import type { Style } from '../host/node/style.ts';
import { makeArguments } from './arguments.ts';
import type { ClientHandlers, ElicitAnswer } from '../client/index.ts';
import type { CreateMessageResult, ElicitRequestParams } from '../protocol/index.ts';
import { completeForm } from '../protocol/internal-exports.ts';
import type { Form } from '../protocol/internal-exports.ts';
import type { CommandProcess } from './command-process.ts';

/** How the tour answers the server's requests: elicitation and sampling. */
export interface AnswerOptions {
  /** Whether a person is at the terminal. Without one, forms follow `defaults`, and URLs are declined. */
  readonly person: Presence;
  readonly style: Style;
  /** The person's terminal. */
  readonly terminal: { readonly input: CommandProcess['stdin']; readonly output: CommandProcess['stdout'] };
  /** The server's name, as the person knows it. */
  readonly from: () => string | undefined;
  /** Called when a form opens: until `resume`, nothing else may be printed and timeouts stand still. */
  readonly pause: () => void;
  /** The person pressed Ctrl-C within a form. */
  readonly onInterrupt?: () => void;
  readonly resume: () => void;
  /** Tells the person which answer was given for them. */
  readonly note: (text: string) => void;
  /** Milliseconds without a key after which the person counts as gone. */
  readonly patienceMs: number;
  /** True: a form without a person is accepted with its defaults. False: it is declined. */
  readonly defaults: boolean;
}

/** Whether a person is present. Becomes false once a person does not answer; then nobody is asked again. */
export interface Presence {
  present: boolean;
}

const complete: CompleteForm = (schema, content) => completeForm(schema as Form, content);

/** The answer to every sampling request. It begins with a number, for servers that ask the model to choose. */
const cannedAnswer = '1, because it is the first. (This is a canned answer: there is no model here.)';

/** The handlers for the client. */
export type AnswerHandlers = { readonly [K in keyof ClientHandlers]-?: NonNullable<ClientHandlers[K]> };

export function answersOf(options: AnswerOptions): AnswerHandlers {
  const { person, note, pause, resume, onInterrupt, style, terminal, from, patienceMs, defaults } = options;

  /** Undefined: no person answered. */
  async function askPerson(
    params: ElicitRequestParams, signal: AbortSignal,
  ): Promise<ElicitAnswer | undefined> {
    if (!person.present) return undefined;
    const left = new AbortController();
    let timer = systemClock.after(patienceMs, () => left.abort());
    const typed = (): void => {
      timer?.stop();
      timer = systemClock.after(patienceMs, () => left.abort());
    };
    pause();
    const prompter = openPrompter(terminal.input, terminal.output, onInterrupt);
    terminal.input.on('data', typed);
    try {
      const answer = await fillForm(params, prompter, {
        complete, style, from: from(), signal: AbortSignal.any([signal, left.signal]),
      });
      if (!left.signal.aborted) return answer;
      person.present = false;
      return undefined;
    } finally {
      timer?.stop();
      terminal.input.off('data', typed);
      prompter.close();
      resume();
      if (!person.present) {
        note(`No key was pressed for ${patienceMs / 1000} s: from now on, no questions are asked.`);
      }
    }
  }

  return {
    async onElicit(form, { signal }) {
      const answer = await askPerson(form, signal);
      if (answer) return answer;
      if (!defaults) {
        note('There is no person to fill in the form, so it is declined; --defaults accepts it with its defaults.');
        return { action: 'decline' };
      }
      const made = makeArguments({ ...form.requestedSchema }, false);
      if ('problem' in made) {
        note(`The form cannot be filled in without a person (${visible(shorten(made.problem))}), so it is declined.`);
        return { action: 'decline' };
      }
      note('The form is accepted with its defaults, and made-up values for the rest.');
      return { action: 'accept', content: made.args };
    },
    async onElicitUrl(page, { signal }) {
      const answer = await askPerson(page, signal);
      if (answer) return answer;
      note('There is no person to visit the page, so it is declined.');
      return { action: 'decline' };
    },
    onSample(): CreateMessageResult {
      note('A canned answer replaces that of a model.');
      return {
        role: 'assistant', content: { type: 'text', text: cannedAnswer }, model: 'no model',
        stopReason: 'endTurn',
      };
    },
  };
}
