import type { ServerProbe } from '../probe.ts';
import { cancellationProbes } from './cancellation.ts';
import { discoveryProbes } from './discovery.ts';
import { hostileProbes } from './hostile.ts';
import { headerProbes } from './mirrored.ts';
import { httpProbes, modernHttpProbes } from './http.ts';
import { authorizationProbes } from './authorization.ts';
import { streamProbes } from './streams.ts';
import { jsonrpcProbes } from './jsonrpc.ts';
import { lifecycleProbes } from './lifecycle.ts';
import { promptProbes } from './prompts.ts';
import { resourceProbes } from './resources.ts';
import { roundProbes } from './rounds.ts';
import { httpSseProbes } from './http-sse.ts';
import { failedTaskProbes } from './failed-tasks.ts';
import { taskListProbes } from './task-list.ts';
import { taskProbes } from './tasks.ts';
import { stdioProbes } from './stdio.ts';
import { surveyProbes } from './surveyed.ts';
import { toolProbes } from './tools.ts';
import { utilityProbes } from './utilities.ts';

/** The probes of a server, in order. Those that may end the server come last, in separate conversations. */
export const serverProbes: readonly ServerProbe[] = [
  ...surveyProbes, ...toolProbes, ...resourceProbes, ...promptProbes, ...utilityProbes, ...discoveryProbes, ...roundProbes, ...taskProbes, ...taskListProbes, ...failedTaskProbes,
  ...cancellationProbes, ...lifecycleProbes, ...jsonrpcProbes, ...stdioProbes,
  ...httpProbes, ...modernHttpProbes, ...headerProbes, ...streamProbes, ...httpSseProbes, ...authorizationProbes, ...hostileProbes,
];
