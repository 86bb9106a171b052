import type { ServerProbe } from '../probe.ts';
import { watchedRules } from '../passive/watch.ts';
import { formRuleIds } from '../passive/forms.ts';

/** Rules that are judged while the server is used: see ../passive. */
export const surveyProbes: readonly ServerProbe[] = [
  {
    name: 'using what it offers',
    rules: [...Object.keys(watchedRules), ...formRuleIds, 'base-2', 'base-59', 'base-58', 'base-69', 'base-70', 'base-71', 'stdio-1', 'stdio-4', 'streamable-http-37', 'streamable-http-1'],
    async run(bench, revision) {
      const { calls, lists, conversation } = await bench.survey(revision);
      if (!conversation.modern) return;
      for (const { first } of calls) if (first.result['resultType'] === 'input_required') conversation.check(['base-3', 'mrtr-1'], true, '', first);
      const pages = Object.values(lists).flatMap(({ pages: [page] }) => (page ? [page] : []));
      const refused = pages.find(({ kind }) => kind === 'error');
      if (pages.some(({ kind }) => kind === 'result')) conversation.check('base-2', true, '', 'lists in the form of the revision');
      else if (refused) conversation.check('base-2', false, 'the lists that it declares, in a revision that server/discover names', refused);
    },
  },
];
