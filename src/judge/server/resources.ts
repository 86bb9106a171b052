import { resourceNotFoundCode } from '../../jsonrpc/internal-exports.ts';
import type { ServerProbe } from '../probe.ts';

export const resourceProbes: readonly ServerProbe[] = [
  {
    // 2025-11-25 server/resources#error-handling; 2026-07-28 has another code.
    name: 'an unknown resource', rules: ['resources-5', 'resources-6', 'resources-8', 'resources-1'], needs: 'a server with resources',
    async run(bench, revision) {
      const { lists: { resources }, conversation } = await bench.survey(revision);
      if (!resources.declared) return;
      if (resources.pages[0]?.kind === 'result') conversation.check('resources-1', true, '', resources.pages[0]);
      const answer = await conversation.ask('resources/read', { uri: `judge-unknown://nothing/${bench.options.seed ?? 1}` });
      if (answer.kind !== 'result' && answer.kind !== 'error') return;
      const { contents } = answer.result;
      const empty = Array.isArray(contents) && contents.length === 0;
      if (answer.kind === 'result' && !empty) return;
      conversation.check('resources-6', answer.kind === 'error', 'an error, and not an empty result', answer);
      if (answer.kind !== 'error') return;
      conversation.check('resources-5', answer.code === -32602, 'error -32602', answer);
      conversation.check('resources-8', answer.code === resourceNotFoundCode, 'error -32002', answer);
    },
  },
  {
    // 2025-11-25 server/resources#security-considerations.
    name: 'an invalid URI', rules: ['resources-14'], needs: 'a server with resources',
    async run(bench, revision) {
      const { lists: { resources }, conversation } = await bench.survey(revision);
      if (!resources.declared) return;
      for (const uri of ['judge: no uri', '']) {
        const answer = await conversation.ask('resources/read', { uri });
        if (answer.kind === 'result' || answer.kind === 'error') conversation.check('resources-14', answer.kind === 'error', `an error: ${JSON.stringify(uri)} is not a URI`, answer);
      }
    },
  },
  {
    // 2025-11-25 server/resources#error-handling: an unknown resource of a template is not an empty result.
    name: 'an unknown resource of a template', rules: ['resources-6'], needs: 'a resource template',
    async run(bench, revision) {
      const { lists: { resourceTemplates }, conversation } = await bench.survey(revision);
      for (const uri of expanded(resourceTemplates.items, 'judge-unknown').slice(0, 4)) {
        const answer = await conversation.ask('resources/read', { uri });
        const { contents } = answer.result;
        if (answer.kind === 'error') conversation.check('resources-6', true, '', answer);
        else if (answer.kind === 'result' && Array.isArray(contents) && contents.length === 0) conversation.check('resources-6', false, 'an error, and not an empty result', answer);
      }
    },
  },
  {
    // 2026-07-28 server/resources#security-considerations. The file exists on every such machine, and everybody may read it.
    name: 'steps upward in a URI', rules: ['resources-13', 'resources-14'], needs: 'a resource template',
    async run(bench, revision) {
      const { lists: { resourceTemplates }, conversation } = await bench.survey(revision);
      const up = '../'.repeat(12);
      for (const value of [`${up}etc/passwd`, encodeURIComponent(`${up}etc/passwd`), `${'%2e%2e%2f'.repeat(12)}etc%2fpasswd`]) {
        for (const uri of expanded(resourceTemplates.items, value).slice(0, 6)) {
          const answer = await conversation.ask('resources/read', { uri });
          if (answer.kind !== 'result' && answer.kind !== 'error') continue;
          conversation.check(['resources-13', 'resources-14'], !/root:[^:]*:0:0:/.test(answer.came), 'nothing from outside the folder of the template', answer);
        }
      }
    },
  },
];

/** A URI from each template, with `value` for the first variable. */
function expanded(templates: readonly Readonly<Record<string, unknown>>[], value: string): string[] {
  return templates.flatMap(({ uriTemplate }) => (typeof uriTemplate === 'string' && uriTemplate.includes('{')
    ? [uriTemplate.replace(/\{[^{}]*\}/, value).replaceAll(/\{[^{}]*\}/g, 'judge')] : []));
}
