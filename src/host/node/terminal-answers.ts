import { checkOptions } from '../../bounds/options.ts';
import { completeForm } from '../../protocol/internal-exports.ts';
import type { Form } from '../../protocol/internal-exports.ts';
import type { ElicitRequestParams, InputRequest, InputResponse } from '../../protocol/index.ts';
import { fillForm } from './elicitation.ts';
import { openPrompter } from './prompter.ts';
import { style, wantsColour } from './style.ts';

/** The streams of a terminal. */
export interface TerminalStreams {
  /** Where the person types. `process.stdin`. */
  readonly input: NodeJS.ReadableStream;
  /** Where the questions are printed. `process.stderr`, since stdout may be used for other output. */
  readonly output: NodeJS.WritableStream & { readonly isTTY?: boolean };
}

/**
 * Answers questions in the terminal, one after the other: `rehearse(server, 'greet', {}, terminalAnswers())` runs a
 * tool without a client and asks the person at the terminal. Forms are asked field by field, pages are shown and not
 * opened. There are no model and no roots: a question for them gets an error.
 */
export function terminalAnswers(
  streams: TerminalStreams = { input: process.stdin, output: process.stderr },
): (key: string, question: InputRequest) => Promise<InputResponse> {
  checkOptions<object>('terminalAnswers: streams', streams, { input: 'object', output: 'object' });
  const { input, output } = streams;
  let last: Promise<unknown> = Promise.resolve();
  return (_key, question) => {
    const answer = last.then(async (): Promise<InputResponse> => {
      if (question.method !== 'elicitation/create') throw new Error(`a terminal cannot answer ${question.method}`);
      const prompter = openPrompter(input, output);
      try {
        return await fillForm(question.params as ElicitRequestParams, prompter, {
          complete: (schema, content) => completeForm(schema as Form, content), from: 'The tool', style: style(wantsColour(process.env, output.isTTY === true)),
        });
      } finally {
        prompter.close();
      }
    });
    last = answer.catch(() => {});
    return answer;
  };
}
