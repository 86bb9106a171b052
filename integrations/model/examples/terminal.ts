// The user of the examples: consent and the servers' questions, in the terminal, one after the other.
import { createInterface } from 'node:readline/promises';
import { visible } from 'barewire/explain';
import type { Person, PersonContext } from 'barewire/host';
import { terminalAnswers } from 'barewire/host/node';

const answers = terminalAnswers();
let last: Promise<unknown> = Promise.resolve();

/** Runs a question after the earlier ones are answered. */
function inTurn<T>(question: () => Promise<T>): Promise<T> {
  const answer = last.then(question);
  last = answer.catch(() => {});
  return answer;
}

const agrees = (question: string, { signal }: PersonContext): Promise<boolean> => inTurn(async () => {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  return (await terminal.question(`${visible(question)} [y/n] `, { signal }).finally(() => terminal.close())).trim() === 'y';
});

export const person: Person = {
  approve: async ({ server, tool, args }, context) =>
    await agrees(`Call ${tool.name} of ${server} with ${JSON.stringify(args)}?`, context) ? { allow: 'once' } : { allow: false, reason: 'the person declined' },
  elicit: async (params) => {
    const answer = await inTurn(() => answers('', { method: 'elicitation/create', params }));
    return 'action' in answer ? answer : { action: 'cancel' };
  },
  samplingRequest: async ({ messages }, context) => ({ allow: await agrees(`Ask the model for ${context.server}: ${JSON.stringify(messages)}?`, context) }),
  samplingAnswer: async ({ content }, context) => ({ allow: await agrees(`Give ${context.server} the answer ${JSON.stringify(content)}?`, context) }),
};
