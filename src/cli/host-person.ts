import type { ApprovalRequest, Decision, Model, Person, PinChange } from '../host/index.ts';
import { name as nameOf } from '../explain/words.ts';
import { completeForm } from '../protocol/internal-exports.ts';
import type { Form } from '../protocol/internal-exports.ts';
import { askAboutCall } from './ask-consent.ts';
import type { Desk } from './desk.ts';
import { fillForm } from '../host/node/elicitation.ts';
import type { CompleteForm } from '../host/node/elicitation.ts';
import { framed } from '../host/node/frame.ts';
import type { FrameOptions } from '../host/node/frame.ts';
import type { Style } from '../host/node/style.ts';

const complete: CompleteForm = (schema, content) => completeForm(schema as Form, content);

/** The most messages of a sampling request to show: the last ones. */
const maxMessages = 20;

/** Why a call is shown a second time. */
const again: Partial<Record<ApprovalRequest['why'], string>> = {
  'changed-while-shown': 'The tool changed while it was shown. This is its current definition.',
  'too-late': 'The answer came too late. It is shown again.',
};

/** The most lines to show of a difference. */
const maxDiff = 60;

/** A changed tool as lines. The server's text is in a frame; lines left out are counted. */
export function changeLines({ kind, server, name, formerly, diff }: PinChange, { green, red, bold, dim }: Style, columns?: number): string[] {
  return [
    `${bold(nameOf(`${server}/${name}`))} ${kind === 'renamed' ? `was renamed: it was ${nameOf(formerly ?? '')}` : kind === 'gone' ? 'is gone' : `is ${kind}`}`,
    ...diff.slice(0, maxDiff).flatMap((line) => framed(line, { columns, rows: 8, dim, paint: line.startsWith('-') ? red : green })),
    ...diff.length > maxDiff ? [dim(`└ ${diff.length - maxDiff} differences more were left out`)] : [],
  ];
}

/** The person at this terminal, for the questions of all servers. */
export function personAt(desk: Desk, style: Style): Person {
  const agrees = (answer: string | undefined): boolean => /^\s*y(es)?\s*$/i.test(answer ?? '');
  return {
    approve: ({ server, tool, args, why }, { signal }) => desk.question(async (prompter): Promise<Decision> => {
      const note = again[why];
      if (note !== undefined) prompter.say(style.yellow(note));
      // A grant holds for any arguments. A rule that asks has priority over grants, so it offers no grant.
      const lasting = why !== 'rule';
      const question = lasting ? 'Run it? [o]nce, or with any arguments for this [s]ession or [a]lways, [N]o: ' : 'Run it? [o]nce, [N]o: ';
      const answer = await askAboutCall(prompter, style, { server, tool, args }, question, signal);
      if (answer === undefined) return { allow: false, reason: 'the arguments are too long to show' };
      if (answer === 'o' || answer === 'once' || agrees(answer)) return { allow: 'once' };
      if (lasting && (answer === 's' || answer === 'session')) return { allow: 'session' };
      if (lasting && (answer === 'a' || answer === 'always')) return { allow: 'always' };
      return { allow: false, reason: 'the person declined' };
    }),
    acceptChange: (change, { signal }) => desk.question(async (prompter) => {
      for (const line of changeLines(change, style, prompter.columns)) prompter.say(line);
      return agrees(await prompter.ask('Accept its current definition? [y/N] ', signal));
    }),
    elicit: (form, { server, signal }) => desk.question((prompter) => fillForm(form, prompter, { complete, style, from: server, signal })),
    elicitUrl: ({ host: _host, ...page }, { server, signal }) =>
      desk.question((prompter) => fillForm(page, prompter, { complete, style, from: server, signal })),
    samplingRequest: (params, { server, signal }) => desk.question(async (prompter) => {
      const frame: FrameOptions = { columns: prompter.columns, dim: style.dim };
      prompter.say(`${style.bold(nameOf(server))} asks a model, for at most ${params.maxTokens} tokens:`);
      const say = (head: string, text: string): void => [head, ...framed(text, frame)].forEach((line) => prompter.say(line));
      if (params.systemPrompt !== undefined) say('  system:', params.systemPrompt);
      const earlier = params.messages.length - maxMessages;
      if (earlier > 0) prompter.say(style.dim(`  … ${earlier} earlier messages were left out`));
      for (const { role, content } of params.messages.slice(-maxMessages)) {
        say(`  ${nameOf(role)}:`, typeof content === 'object' && 'text' in content ? String(content.text) : JSON.stringify(content));
      }
      if (params.modelPreferences !== undefined) say('  preferences:', JSON.stringify(params.modelPreferences));
      return agrees(await prompter.ask('Answer it, in the place of a model? [y/N] ', signal)) ? { allow: true } : { allow: false };
    }),
    // The person wrote the answer, so there is no need to approve it.
    samplingAnswer: async () => ({ allow: true }),
  };
}

/** Stands in for a model: the person writes the answer. */
export function personAsModel(desk: Desk): Model {
  return (_params, { signal }) => desk.question(async (prompter) => {
    const text = await prompter.ask('The answer: ', signal);
    if (text === undefined) throw new Error('there was no answer');
    return { role: 'assistant', content: { type: 'text', text }, model: 'a person', stopReason: 'endTurn' };
  });
}
