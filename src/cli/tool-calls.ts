import { makeArguments } from './arguments.ts';
import { reasonNotToCall } from './safety.ts';
import { count, some } from '../explain/words.ts';
import { RpcError } from '../client/index.ts';
import type { McpClient } from '../client/index.ts';
import type { CallOptions } from '../client/options.ts';
import { errorMessage } from '../jsonrpc/errors.ts';
import type { Tool } from '../protocol/tools.ts';

/** A step that the server has nothing for. */
export class Absent extends Error {}

/** What calling tools needs of the tour. */
export interface Calling {
  readonly client: McpClient;
  readonly overHttp: boolean;
  /** The tools to call; all that are safe, unless given. */
  readonly only: readonly string[] | undefined;
  /** Every request goes through here, so that none waits for ever. */
  ask<T>(run: (options: CallOptions) => Promise<T>): Promise<T>;
  part(title: string): Promise<void>;
  note(text: string): void;
  /** A call has reported its progress. */
  progressed(): void;
  /** Whether the connection is gone. */
  gone(): boolean;
}

const mostTools = 25;
const cancelAfterMs = 400;

/** Calls each tool that is safe to call, with arguments made from its schema; says what came of it. */
export async function callTools(
  tools: readonly Tool[], { client, ask, part, note, only, progressed, gone }: Calling,
): Promise<string> {
  let called = 0;
  let failing = 0;
  let left = 0;
  const refused: string[] = [];
  const broken: string[] = [];
  const wanted = only ? tools.filter(({ name }) => only.includes(name)) : tools;
  for (const tool of wanted) {
    const made = makeArguments(tool.inputSchema);
    const reason = reasonNotToCall(tool)
      ?? ('problem' in made ? `no arguments could be made for it: ${made.problem}` : undefined)
      ?? (called >= mostTools ? `${mostTools} are enough` : undefined);
    await part(tool.name);
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
      // An error is an answer: the arguments were made up. Everything else is none, and the next tool may
      // do better.
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
    throw new Absent(left > 0 ? `${count(left, 'tool')} listed, none safe to call` : 'there are none');
  }
  return [
    `${called} called`,
    failing > 0 && `${failing} of them answered isError`,
    refused.length > 0 && `refused: ${some(refused)}`,
    left > 0 && `${left} listed only`,
  ].filter((part) => part !== false).join(', ');
}

/** Begins a call that takes its time, and gives it up: at its first progress, or soon after. */
export async function cancelCall(
  tools: readonly Tool[], { client, ask, note, overHttp }: Calling,
): Promise<string> {
  const safe = tools.flatMap((tool) => {
    const made = makeArguments(tool.inputSchema, false);
    const fits = reasonNotToCall(tool) === undefined && tool.annotations?.readOnlyHint !== false
      && 'args' in made;
    return fits ? [{ tool, args: made.args }] : [];
  });
  const slow = safe.find(({ tool: { name, description } }) =>
    /\b(slow|long|progress|sleep|wait)/i.test(`${name.replaceAll('_', ' ')} ${description}`));
  const { tool, args } = slow ?? safe[0] ?? {};
  if (!tool || !args) throw new Absent('there is no tool to cancel');
  const controller = new AbortController();
  const reason = new Error('the tour has seen enough');
  let timer: NodeJS.Timeout | undefined;
  // A quick tool would have answered by then: it is cancelled at once.
  if (slow) timer = setTimeout(() => controller.abort(reason), cancelAfterMs);
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
    if (error !== reason) throw error;
    if (overHttp && client.revision?.era === 'modern') {
      note(
        'Nothing is sent: over HTTP the client closes the stream of its request, which says it.',
      );
    }
    return `${tool.name} was cancelled`;
  } finally {
    clearTimeout(timer);
  }
}
