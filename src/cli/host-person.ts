import type { ApprovalRequest, Decision, Model, Person, PinChange } from '../host/index.ts';
import { visible } from '../explain/safe-text.ts';
import { completeForm } from '../protocol/form.ts';
import type { Form } from '../protocol/form.ts';
import { showCall } from './ask-consent.ts';
import type { Desk } from './desk.ts';
import { fillForm } from '../host/node/form.ts';
import type { CompleteForm } from '../host/node/form.ts';
import { textLines } from './render.ts';
import type { Style } from '../host/node/style.ts';

const complete: CompleteForm = (schema, content) => completeForm(schema as Form, content);

/** Why a call that was shown before is shown again. */
const again: Partial<Record<ApprovalRequest['why'], string>> = {
  'changed-while-shown': 'The tool changed while it was shown. This is what it is now.',
  'too-late': 'The answer came too late. It is shown again.',
};

/** A changed tool, as lines. */
export function changeLines({ kind, server, name, formerly, diff }: PinChange, { green, red, bold }: Style): string[] {
  return [
    `${bold(visible(`${server}/${name}`))} ${kind === 'renamed' ? `was renamed: it was ${visible(formerly ?? '')}` : kind === 'gone' ? 'is gone' : `is ${kind}`}`,
    ...diff.map((line) => `  ${line.startsWith('-') ? red(visible(line)) : green(visible(line))}`),
  ];
}

/** The person at this terminal, before the questions of all servers. */
export function personAt(desk: Desk, style: Style): Person {
  const agrees = (answer: string | undefined): boolean => /^\s*y(es)?\s*$/i.test(answer ?? '');
  return {
    approve: ({ server, tool, args, why }, { signal }) => desk.question(async (prompter): Promise<Decision> => {
      const note = again[why];
      if (note !== undefined) prompter.say(style.yellow(note));
      if (!showCall(prompter, style, server, tool, args)) return { allow: false, reason: 'the arguments are too long to show' };
      const answer = (await prompter.ask('Run it? [o]nce, for this [s]ession, [a]lways, [N]o: ', signal))?.trim().toLowerCase() ?? '';
      if (answer === 'o' || answer === 'once' || agrees(answer)) return { allow: 'once' };
      if (answer === 's' || answer === 'session') return { allow: 'session' };
      if (answer === 'a' || answer === 'always') return { allow: 'always' };
      return { allow: false, reason: 'the person said no' };
    }),
    acceptChange: (change, { signal }) => desk.question(async (prompter) => {
      for (const line of changeLines(change, style)) prompter.say(line);
      return agrees(await prompter.ask('Accept it as it is now? [y/N] ', signal));
    }),
    elicit: (form, { server, signal }) => desk.question((prompter) => fillForm(form, prompter, { complete, style, from: server, signal })),
    elicitUrl: ({ host: _host, ...page }, { server, signal }) =>
      desk.question((prompter) => fillForm(page, prompter, { complete, style, from: server, signal })),
    samplingRequest: (params, { server, signal }) => desk.question(async (prompter) => {
      prompter.say(`${style.bold(visible(server))} asks a model, for at most ${params.maxTokens} tokens:`);
      if (params.systemPrompt !== undefined) for (const line of textLines(params.systemPrompt)) prompter.say(`  system: ${line}`);
      for (const { role, content } of params.messages.slice(-20)) {
        for (const line of textLines(typeof content === 'object' && 'text' in content ? String(content.text) : JSON.stringify(content))) {
          prompter.say(`  ${visible(role)}: ${line}`);
        }
      }
      if (params.modelPreferences !== undefined) prompter.say(style.dim(`  preferences: ${visible(JSON.stringify(params.modelPreferences))}`));
      return agrees(await prompter.ask('Answer it, in the place of a model? [y/N] ', signal)) ? { allow: true } : { allow: false };
    }),
    // Whoever wrote the answer has seen it.
    samplingAnswer: async () => ({ allow: true }),
  };
}

/** There is no model here: the person answers in its place. */
export function personAsModel(desk: Desk): Model {
  return (_params, { signal }) => desk.question(async (prompter) => {
    const text = await prompter.ask('The answer: ', signal);
    if (text === undefined) throw new Error('there was no answer');
    return { role: 'assistant', content: { type: 'text', text }, model: 'a person', stopReason: 'endTurn' };
  });
}
