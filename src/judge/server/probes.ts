import type { Probe } from '../probe.ts';
import { jsonrpcProbes } from './jsonrpc.ts';
import { lifecycleProbes } from './lifecycle.ts';
import { surveyProbes } from './surveyed.ts';

/** The probes of a server, in the order in which they are made: what may end the server comes last, in conversations of its own. */
export const serverProbes: readonly Probe[] = [...surveyProbes, ...lifecycleProbes, ...jsonrpcProbes];
