import { isObject } from '../../jsonrpc/internal-exports.ts';
import { completionsCapability } from '../../protocol/internal-exports.ts';
import { logLevelKey } from '../../protocol/internal-exports.ts';
import { bounds } from '../bounds.ts';
import type { Arrival } from '../conversation.ts';
import type { ServerProbe } from '../probe.ts';
import { completable } from './prompts.ts';
import type { SurveyedListName } from './survey.ts';

const lists: readonly SurveyedListName[] = ['tools', 'resources', 'resourceTemplates', 'prompts'];

const isLog = ({ json }: Arrival): boolean => isObject(json) && json['method'] === 'notifications/message';

/** Completion, logging, pagination. */
export const utilityProbes: readonly ServerProbe[] = [
  {
    // 2025-11-25 server/utilities/completion.
    name: 'completion', rules: ['completion-1', 'completion-3', 'completion-4', 'completion-5', 'completion-12', 'form-complete'], needs: 'a server with completions',
    async run(bench, revision) {
      const { lists: { prompts, resourceTemplates }, conversation } = await bench.survey(revision);
      const target = completable(prompts.items, resourceTemplates.items);
      const ref = target?.ref ?? { type: 'ref/prompt', name: 'judge-unknown-prompt' };
      const declares = conversation.offered['completions'] !== undefined;
      const answer = await conversation.ask('completion/complete', { ref, argument: { name: target?.name ?? 'judge', value: '' } });
      if (!declares) {
        if (!completionsCapability(revision)) return;
        const values = isObject(answer.result['completion']) ? answer.result['completion']['values'] : undefined;
        if (Array.isArray(values) && values.length > 0) conversation.check('completion-1', false, 'the capability completions of a server with completions', answer);
        else bench.ledger.notApplicable('completion-1', revision.version, 'the server has no completions');
        if (answer.kind === 'error' || answer.kind === 'result') conversation.check('completion-4', answer.kind === 'error' && answer.code === -32601, 'error -32601: the server has no completions', answer);
        return;
      }
      if (answer.kind === 'result') conversation.check('completion-1', true, '', answer);
      const unknown = await conversation.ask('completion/complete', { ref: { type: 'ref/prompt', name: 'judge-unknown-prompt' }, argument: { name: 'judge', value: '' } });
      if (unknown.kind === 'error' || unknown.kind === 'result') conversation.check('completion-3', unknown.kind === 'error' && unknown.code === -32602, 'error -32602: there is no such prompt', unknown);
      const without = await conversation.ask('completion/complete', { ref });
      if (without.kind !== 'error' && without.kind !== 'result') return;
      conversation.check('completion-5', without.kind === 'error' && without.code === -32602, 'error -32602: the argument is missing', without);
      conversation.check('completion-12', without.kind === 'error', 'an error: the argument is missing', without);
      if (!target) return;
      for (const argument of [{ name: target.name }, { name: target.name, value: 5 }]) {
        const odd = await conversation.ask('completion/complete', { ref, argument });
        if (odd.kind !== 'error' && odd.kind !== 'result') continue;
        conversation.check('completion-12', odd.kind === 'error', 'an error: the value of the argument must be a text', odd);
        conversation.check('completion-5', odd.kind === 'error' && odd.code === -32602, 'error -32602: the value of the argument must be a text', odd);
      }
    },
  },
  {
    // 2025-11-25 server/utilities/logging#error-handling.
    name: 'an unknown log level', rules: ['logging-5'], era: 'legacy', needs: 'a server that logs',
    async run(bench, revision) {
      const conversation = await bench.main(revision);
      if (conversation.offered['logging'] === undefined) return;
      const answer = await conversation.ask('logging/setLevel', { level: 'judge' });
      if (answer.kind === 'result' || answer.kind === 'error') conversation.check('logging-5', answer.kind === 'error' && answer.code === -32602, 'error -32602', answer);
    },
  },
  {
    // 2026-07-28 server/utilities/logging#error-handling.
    name: 'an unknown log level in a request', rules: ['logging-4'], era: 'modern', needs: 'a server that logs',
    async run(bench, revision) {
      const conversation = await bench.main(revision);
      if (conversation.offered['logging'] === undefined) return;
      const answer = await conversation.ask(conversation.offered['tools'] === undefined ? 'server/discover' : 'tools/list', {}, { meta: { [logLevelKey]: 'judge' } });
      if (answer.kind === 'result' || answer.kind === 'error') conversation.check('logging-4', answer.kind === 'error' && answer.code === -32602, 'error -32602', answer);
    },
  },
  {
    // 2026-07-28 server/utilities/logging: a server logs only about requests that name a level. Messages are judged in passing.
    name: 'a call without a log level', rules: ['logging-10'], era: 'modern', needs: 'a tool that may be called and logs',
    async run(bench, revision) {
      const { calls, conversation } = await bench.survey(revision);
      for (const { tool, arguments: given } of calls.filter(({ between }) => between.some(isLog)).slice(0, 2)) {
        const from = conversation.arrivals.length;
        const answer = await conversation.ask('tools/call', { name: tool['name'], arguments: given });
        if (answer.kind === 'result' && !conversation.arrivals.slice(from).some(isLog)) conversation.check('logging-10', true, '', answer);
      }
    },
  },
  {
    // 2025-11-25 basic/utilities/progress#progress-flow. Progress with the fraction as its token is a dispute, which is judged in passing.
    name: 'a progress token that is a fraction', rules: ['progress-8'], slow: true, apart: 'surveyed', needs: 'a tool that may be called and tells its progress',
    async run(bench, revision) {
      const { calls } = await bench.survey(revision);
      const one = calls.find(({ between, answer, ms }) => answer.kind === 'result' && ms < 2_000 && between.some(({ json }) => isObject(json) && json['method'] === 'notifications/progress'));
      if (!one) return;
      const conversation = await bench.fresh(revision);
      await conversation.ask('tools/call', { name: one.tool['name'], arguments: one.arguments }, { meta: { progressToken: 1.5 }, timeoutMs: bounds.callMs });
      void conversation.close();
    },
  },
  {
    // 2025-11-25 server/utilities/pagination#error-handling. A server that never gave a cursor may ignore cursors: a dispute.
    name: 'a made-up cursor', rules: ['pagination-1'], needs: 'a server with a list',
    async run(bench, revision) {
      const survey = await bench.survey(revision);
      for (const name of lists) {
        const { declared, method, pages } = survey.lists[name];
        if (!declared || pages[0]?.kind !== 'result') continue;
        const answer = await survey.conversation.ask(method, { cursor: 'judge-made-up-cursor' });
        if (answer.kind === 'error') survey.conversation.check('pagination-1', answer.code === -32602, 'error -32602', answer);
        else if (answer.kind === 'result') {
          if (pages.length > 1) survey.conversation.check('pagination-1', false, 'error -32602: the server did not give this cursor', answer);
          else survey.conversation.dispute('pagination-1', 'error -32602: the server did not give this cursor', answer);
        }
      }
    },
  },
  {
    // 2026-07-28 server/utilities/caching#interaction-with-pagination.
    name: 'the scope of pages', rules: ['caching-14'], era: 'modern', needs: 'a list of more than one page',
    async run(bench, revision) {
      const survey = await bench.survey(revision);
      for (const name of lists) {
        const { pages } = survey.lists[name];
        const [first, ...rest] = pages;
        for (const page of rest) if (first?.kind === 'result' && page.kind === 'result') survey.conversation.check('caching-14', page.result['cacheScope'] === first.result['cacheScope'], `the scope of the first page: ${String(first.result['cacheScope'])}`, page);
      }
    },
  },
];
