import { systemClock } from '../bounds/clock.ts';
import type { Timer } from '../bounds/clock.ts';
import { makeArguments } from './arguments.ts';
import { consentTo } from './consent.ts';
import type { ConsentOptions } from './consent.ts';
import { count, some } from '../explain/words.ts';
import { RpcError } from '../client/index.ts';
import type { CallOptions, McpClient } from '../client/index.ts';
import { errorMessage } from '../jsonrpc/internal-exports.ts';
import type { Tool } from '../protocol/index.ts';

/** Thrown by a step whose feature the server does not have. */
export class Absent extends Error {}

/** The tour's functions for calling tools. */
export interface Calling {
  readonly client: McpClient;
  readonly overHttp: boolean;
  /** The tools to call. Default: all with consent. */
  readonly only: readonly string[] | undefined;
  /** Runs a request with a timeout. */
  ask<T>(run: (options: CallOptions) => Promise<T>): Promise<T>;
  part(title: string): Promise<void>;
  note(text: string): void;
  readonly consent: ConsentOptions;
  /** The reason why a tool is hidden; undefined: it is offered. */
  readonly whyHidden: (tool: Tool) => string | undefined;
  /** Called when a call reports progress. */
  progressed(): void;
  /** Whether the connection has closed. */
  gone(): boolean;
}

const mostTools = 25;
const cancelAfterMs = 400;

/** The result of the calls. */
export interface CallsMade {
  /** A summary for a person. */
  readonly said: string;
  /** Calls with an error: a result with `isError`, or an error response. */
  readonly errors: number;
}

/** Calls each tool that has consent, with arguments made from its schema. */
export async function callTools(
  tools: readonly Tool[], { client, ask, part, note, only, consent, whyHidden, progressed, gone }: Calling,
): Promise<CallsMade> {
  let called = 0;
  let failing = 0;
  let left = 0;
  const refused: string[] = [];
  const broken: string[] = [];
  const wanted = only ? tools.filter(({ name }) => only.includes(name)) : tools;
  for (const tool of wanted) {
    const made = makeArguments(tool.inputSchema);
    await part(tool.name);
    const reason = whyHidden(tool) ?? await reasonNotToCall(tool, made, consent, called);
    if (reason !== undefined || 'problem' in made) {
      left++;
      note(`It is not called: ${reason}.`);
      continue;
    }
    try {
      const { isError } = await ask(
        (how) => client.callTool(tool.name, made.args, { ...how, onProgress: progressed }),
      );
      if (isError) failing++;
    } catch (error) {
      // Made-up arguments may cause an error response. Another error is a failure, but the next tool may succeed.
      if (error instanceof RpcError) refused.push(tool.name);
      else {
        broken.push(`${tool.name}: ${errorMessage(error)}`);
        note(`It failed: ${errorMessage(error)}`);
      }
      if (gone()) break;
    }
    called++;
  }
  if (broken.length > 0) throw new Error(`${broken.join('; ')} (${count(called, 'tool')} called)`);
  if (called === 0) {
    throw new Absent(left > 0 ? `${count(left, 'tool')} listed, no consent to call one` : 'there are none');
  }
  const said = [
    `${called} called`,
    failing > 0 && `${failing} of them returned isError`,
    refused.length > 0 && `refused: ${some(refused)}`,
    left > 0 && `${left} listed only`,
  ].filter((part) => part !== false).join(', ');
  return { said, errors: failing + refused.length };
}

async function reasonNotToCall(
  tool: Tool, made: ReturnType<typeof makeArguments>, consent: ConsentOptions, called: number,
): Promise<string | undefined> {
  // 2025-11-25 basic/utilities/tasks#tool-level-negotiation.
  if (tool.execution?.taskSupport === 'required') return 'it runs only as a task';
  if ('problem' in made) return `no arguments could be made for it: ${made.problem}`;
  if (called >= mostTools) return `the tour calls at most ${mostTools} tools`;
  const { given, why } = await consentTo(tool, made.args, consent);
  return given ? undefined : why;
}

/** Begins a call, if possible a slow one, and cancels it: at its first progress report or after `cancelAfterMs`. */
export async function cancelCall(
  tools: readonly Tool[], { client, ask, note, overHttp, consent, whyHidden }: Calling,
): Promise<string> {
  const safe: { tool: Tool; args: Record<string, unknown> }[] = [];
  for (const tool of tools) {
    const made = makeArguments(tool.inputSchema, false);
    // Do not ask the person about a call that will be cancelled.
    const reason = whyHidden(tool) ?? await reasonNotToCall(tool, made, { ...consent, ask: undefined }, 0);
    if (reason === undefined && tool.annotations?.readOnlyHint !== false && 'args' in made) safe.push({ tool, args: { ...made.args } });
  }
  const slow = safe.find(({ tool: { name, description } }) =>
    /\b(slow|long|progress|sleep|wait)/i.test(`${name.replaceAll('_', ' ')} ${description}`));
  const { tool, args } = slow ?? safe[0] ?? {};
  if (!tool || !args) throw new Absent('there is no tool that may be called and cancelled');
  const controller = new AbortController();
  const reason = new Error('the tour cancels this call');
  let timer: Timer | undefined;
  // A quick tool would answer before the timer: its call is cancelled at once.
  if (slow) timer = systemClock.after(cancelAfterMs, () => controller.abort(reason));
  try {
    await ask((how) => {
      const running = client.callTool(tool.name, args, {
        ...how,
        signal: AbortSignal.any([controller.signal, ...how.signal ? [how.signal] : []]),
        onProgress: () => controller.abort(reason),
      });
      if (!slow) controller.abort(reason);
      return running;
    });
    return `${tool.name} had answered before it could be cancelled`;
  } catch (error) {
    // The tool may fail faster than the cancellation arrives.
    if (error instanceof RpcError) return `${tool.name} had failed before it could be cancelled: ${error.message}`;
    if (error !== reason) throw error;
    if (overHttp && client.revision?.era === 'modern') {
      note(
        'Nothing is sent: over HTTP the client closes the stream of its request: that cancels it.',
      );
    }
    return `${tool.name} was cancelled`;
  } finally {
    timer?.stop();
  }
}
