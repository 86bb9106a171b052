import { Link } from '../../src/client/lifecycle.ts';
import { ConnectedClient } from '../../src/server/connected-client.ts';
import { explore } from '../explore/explorer.ts';
import type { Bounds } from '../explore/explorer.ts';
import { connection } from '../explore/worlds/connection.ts';
import { taskWith } from '../explore/worlds/task.ts';
import { driven } from './driven.ts';
import { LeaseWatch } from './observers/leases.ts';
import type { LeaseEvent } from './observers/leases.ts';
import { watchWires } from './observers/wires.ts';
import type { WireEvent, WireMessage } from './observers/wires.ts';
import { watched } from './runs.ts';
import { Trace } from './trace.ts';
import { traced } from './traced.ts';
import { watchField } from './watch.ts';
import { handshake } from './worlds/handshake.ts';

// Runs of the real code as steps of the models in test/quint, in Quint's syntax.

/** The steps of one run. `expect(…)` is not a step: it states what the real code shows after the previous step. */
export type ProjectedRun = readonly string[];

/** Distinct runs, in the order of discovery. */
class Runs {
  readonly #seen = new Map<string, ProjectedRun>();

  add(steps: readonly string[]): void {
    if (steps.length > 0) this.#seen.set(steps.join('\n'), [...steps]);
  }

  /** Without runs that are the beginning of another. */
  get all(): ProjectedRun[] {
    const texts = [...this.#seen.keys()].sort();
    return texts.filter((text, i) => !texts[i + 1]?.startsWith(`${text}\n`)).map((text) => this.#seen.get(text) as ProjectedRun);
  }
}

const kindOf = ({ method }: WireMessage): string => (method === 'initialize' || method === 'ping' ? method : 'request');
const isInitialized = ({ method }: WireMessage): boolean => method === 'notifications/initialized';

/** A message in the form of lifecycle.qnt. */
function messageOf(message: WireMessage): string {
  const { id, method } = message;
  if (method === undefined) return `"answer", ${id}`;
  return id === undefined ? `"${isInitialized(message) ? 'initialized' : 'notice'}", 0` : `"${kindOf(message)}", ${id}`;
}

/** One side's event as an action of lifecycle.qnt. */
function lifecycleStep({ side, what, message = {} }: WireEvent): string {
  if (what === 'ends') return side === 'client' ? 'clientCloses' : 'serverSeesTheEnd';
  if (what === 'hears') return `${side}Gets(${messageOf(message)})`;
  const { id, method } = message;
  if (method === undefined) return `${side}Answers(${id})`;
  if (id !== undefined) return `${side}Requests("${kindOf(message)}", ${id})`;
  return side === 'client' && isInitialized(message) ? 'clientInitialized' : `${side}Notifies`;
}

/** Runs of the worlds `handshake` and `connection`, for lifecycle.qnt. */
export async function lifecycleRuns(bounds: Bounds): Promise<readonly ProjectedRun[]> {
  const runs = new Runs();
  const ended = new Set<string>();
  const states = { client: 'new', server: 'new' };
  let steps: string[] = [];
  const undo = [
    watchField(ConnectedClient, 'state', (_client, _before, after) => void (states.server = after)),
    watchField(Link, 'state', (_link, _before, after) => void (states.client = after)),
    watchWires((event) => {
      // Both roles report the end of a pipe each time that they learn of it.
      if (event.what === 'ends' && ended.has(event.side)) return;
      // A message arrives when everything is at rest: then the states of both sides are known.
      if (event.what === 'hears' && ended.size === 0) steps.push(`expect(client == "${states.client}" and server == "${states.server}")`);
      if (event.what === 'ends') ended.add(event.side);
      steps.push(lifecycleStep(event));
    }),
  ];
  const onlooker = {
    begin() {
      runs.add(steps);
      steps = [];
      ended.clear();
    },
    end() {},
    fault: () => undefined,
  };
  try {
    for (const kind of [handshake, connection]) await explore(watched(kind, onlooker), bounds);
    runs.add(steps);
  } finally {
    undo.forEach((one) => one());
  }
  return runs.all;
}

/** A worker's event as an action of lease.qnt. */
function leaseStep({ action, worker, fence, asked, waits }: LeaseEvent): string {
  const who = `"${worker}"`;
  switch (action) {
    case 'request': case 'begin': return `${action}(${who})`;
    case 'grant': case 'deny': return `${action}(${who}, ${asked})`;
    case 'renewed': case 'notRenewed': return `${action}(${who}, ${fence}, ${asked})`;
    case 'release': return `release(${who}, ${fence}, ${waits})`;
    case 'cancel': return 'cancel';
    case 'answer': return `answer(${waits})`;
    default: return `${action}(${who}, ${fence})`;
  }
}

/** Runs of the world `task`, for lease.qnt: its leases last 3000 ms. */
export async function leaseRuns(bounds: Bounds): Promise<readonly ProjectedRun[]> {
  const runs = new Runs();
  const trace = new Trace([...driven, ...traced]);
  const watch = new LeaseWatch(trace);
  const keep = (): void => {
    const steps: string[] = [];
    let last = 0;
    for (const event of watch.events) {
      if (event.now > last) steps.push(`tick(${event.now - last})`);
      last = event.now;
      steps.push(leaseStep(event));
      if (event.action === 'grant') steps.push(`expect(fence == ${event.fence})`);
    }
    runs.add(steps);
  };
  const onlooker = {
    begin() {
      keep();
      trace.begin();
      watch.begin();
    },
    end() {},
    fault: () => undefined,
  };
  await explore(watched(taskWith(watch), onlooker), bounds);
  keep();
  return runs.all;
}
