import { isObject } from '../../jsonrpc/internal-exports.ts';
import type { ServerProbe } from '../probe.ts';
import { argumentsOf } from './survey.ts';

export const promptProbes: readonly ServerProbe[] = [
  {
    // 2025-11-25 server/prompts#error-handling.
    name: 'an unknown prompt', rules: ['prompts-9', 'prompts-2'], needs: 'a server with prompts',
    async run(bench, revision) {
      const { lists: { prompts }, conversation } = await bench.survey(revision);
      if (!prompts.declared) return;
      if (prompts.pages[0]?.kind === 'result') conversation.check('prompts-2', true, '', prompts.pages[0]);
      const answer = await conversation.ask('prompts/get', { name: 'judge-unknown-prompt' });
      if (answer.kind === 'result' || answer.kind === 'error') conversation.check('prompts-9', answer.kind === 'error' && answer.code === -32602, 'error -32602', answer);
    },
  },
  {
    name: 'a prompt without its required arguments', rules: ['prompts-10', 'prompts-13', 'prompts-16'], needs: 'a prompt with a required argument',
    async run(bench, revision) {
      const { lists: { prompts }, conversation } = await bench.survey(revision);
      const prompt = prompts.items.find((one) => Object.keys(argumentsOf(one)).length > 0);
      if (!prompt) return;
      const answer = await conversation.ask('prompts/get', { name: prompt['name'], arguments: {} });
      if (answer.kind !== 'result' && answer.kind !== 'error') return;
      const expected = `error -32602: ${Object.keys(argumentsOf(prompt)).join(', ')} is required`;
      conversation.check('prompts-10', answer.kind === 'error' && answer.code === -32602, expected, answer);
      conversation.check(['prompts-13', 'prompts-16'], answer.kind === 'error', 'an error: a required argument is missing', answer);
      const numbers = await conversation.ask('prompts/get', { name: prompt['name'], arguments: Object.fromEntries(Object.keys(argumentsOf(prompt)).map((name) => [name, 5])) });
      // The schema allows only texts; a server may convert a number.
      if (numbers.kind === 'result') conversation.dispute('prompts-13', 'an error: arguments of prompts are strings', numbers);
    },
  },
  {
    name: 'a failure in a prompt or a resource', rules: ['prompts-8', 'resources-7'], needs: 'a prompt or a resource that fails',
    async run(bench, revision) {
      const { prompts, reads, conversation } = await bench.survey(revision);
      // A listed prompt with its required arguments: a failure is the server's.
      for (const [rule, answers] of [['prompts-8', prompts], ['resources-7', reads]] as const) {
        for (const { answer } of answers) if (answer.kind === 'error' && answer.code === -32603) conversation.check(rule, true, '', answer);
      }
      for (const { answer } of reads) {
        // Since 2026-07-28 this is the code for an unknown resource.
        if (answer.kind === 'error' && answer.code === -32602 && !conversation.modern) conversation.dispute('resources-7', 'error -32603: a listed resource failed', answer);
      }
      for (const { answer, arguments: given } of prompts) {
        // There was no argument that could be wrong: whether -32602 fits the failure can be disputed.
        if (answer.kind === 'error' && answer.code === -32602 && Object.keys(given).length === 0) conversation.dispute('prompts-8', 'error -32603: a listed prompt without arguments failed', answer);
      }
    },
  },
];

/** A reference and the name of an argument, for `completion/complete`. */
export function completable(prompts: readonly Readonly<Record<string, unknown>>[], templates: readonly Readonly<Record<string, unknown>>[]): { readonly ref: Record<string, unknown>; readonly name: string } | undefined {
  for (const prompt of prompts) {
    const [first] = Array.isArray(prompt['arguments']) ? prompt['arguments'].filter(isObject) : [];
    if (first) return { ref: { type: 'ref/prompt', name: prompt['name'] }, name: String(first['name']) };
  }
  for (const { uriTemplate } of templates) {
    const [, name] = /\{[+#./;?&]?([A-Za-z0-9_]+)/.exec(String(uriTemplate)) ?? [];
    if (name !== undefined) return { ref: { type: 'ref/resource', uri: uriTemplate }, name };
  }
  return undefined;
}
