import type { ServerProbe } from '../probe.ts';
import { watchedRules } from '../passive/watch.ts';
import { formRuleIds } from '../passive/forms.ts';

/** What using the server shows in passing: see ../passive. */
export const surveyProbes: readonly ServerProbe[] = [
  {
    name: 'using what it offers',
    rules: [...Object.keys(watchedRules), ...formRuleIds, 'base-59', 'base-58', 'base-69', 'base-70', 'base-71', 'stdio-1', 'stdio-4', 'streamable-http-37', 'streamable-http-1'],
    async run(bench, revision) {
      await bench.survey(revision);
    },
  },
];
