import { difference, fill } from '../../src/transcript/difference.ts';
import type { Line, Transcript } from '../../src/transcript/transcript.ts';

/** The other side of a transcript: takes and returns messages as text. */
export interface Channel {
  send(text: string): void;
  /** The next received message as text. Rejects if none comes in time, or if the other side has ended. */
  next(): Promise<string>;
  close(): Promise<void>;
  /** True: consecutive messages may come in any order, and only valid messages can be sent. */
  readonly anyOrder?: boolean;
}

/** Queues received messages, and the readers that wait for one. */
export function inbox(patienceMs: number = 15_000): { put(text: string): void; end(why: string): void; next(): Promise<string> } {
  const texts: string[] = [];
  const waiting: { resolve(text: string): void; reject(error: Error): void }[] = [];
  let ended: string | undefined;
  return {
    put(text) {
      const waiter = waiting.shift();
      if (waiter) waiter.resolve(text);
      else texts.push(text);
    },
    end(why) {
      ended = why;
      for (const { reject } of waiting) reject(new Error(why));
    },
    next() {
      const text = texts.shift();
      if (text !== undefined) return Promise.resolve(text);
      if (ended !== undefined) return Promise.reject(new Error(ended));
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error(`nothing came within ${patienceMs} ms`)), patienceMs);
        waiting.push({
          resolve: (text) => {
            clearTimeout(timer);
            resolve(text);
          },
          reject: (error) => {
            clearTimeout(timer);
            reject(error);
          },
        });
      });
    },
  };
}

/**
 * Plays one side of a transcript against the other: sends the lines of `side`, and compares the received messages. Throws at the first
 * difference, with the line of the transcript.
 */
export async function play({ defined, lines }: Transcript, channel: Channel, side: 'client' | 'server' = 'client'): Promise<void> {
  const known = new Map(defined);
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] as Line;
    if (line.from === side) {
      channel.send(line.raw ? String(line.json) : JSON.stringify(fill(line.json, withOwn(line.json, known))));
      continue;
    }
    const together = [line];
    while (followsFreely(line, lines[index + 1], channel)) together.push(lines[++index] as Line);
    while (together.length > 0) await expect(together, channel, known);
  }
  if (!channel.anyOrder) await expectNothingMore(channel, side);
}

/** Adds the values that this side invents when it first uses them: the id of its own task, a time. */
function withOwn(json: unknown, known: Map<string, unknown>): ReadonlyMap<string, unknown> {
  for (const [name] of JSON.stringify(json).matchAll(/<task \d+>/g)) {
    if (!known.has(name)) known.set(name, name.slice(1, -1).replace(' ', '-'));
  }
  return new Map([...known, ['<any>', '2025-11-25T10:30:00Z']]);
}

function followsFreely(line: Line, next: Line | undefined, { anyOrder = false }: Channel): boolean {
  return next?.from === line.from && (anyOrder || (line.anyOrder && next.anyOrder));
}

/** Receives one message, and removes the matching line from `together`. */
async function expect(together: Line[], channel: Channel, known: Map<string, unknown>): Promise<void> {
  const { at, json } = together[0] as Line;
  const text = await channel.next().catch((error: unknown) => {
    throw new Error(`line ${at}: ${(error as Error).message}; expected ${JSON.stringify(json)}`);
  });
  // The id of a failure is random.
  const got: unknown = JSON.parse(text.replace(/ failed \(id [0-9a-f]+\)/, ' failed (id 7f3a09c1)'));
  const found: string[] = [];
  for (const [index, line] of together.entries()) {
    const learned = new Map(known);
    const differs = difference(line.json, got, learned);
    if (differs === undefined) {
      for (const [name, value] of learned) known.set(name, value);
      together.splice(index, 1);
      return;
    }
    found.push(`line ${line.at}: ${differs}`);
  }
  throw new Error(`${found.join('\n')}\nin ${text}`);
}

/** Invalid JSON is answered at once: if its error comes next, no other message was on its way. */
async function expectNothingMore(channel: Channel, side: 'client' | 'server'): Promise<void> {
  if (side === 'server') return;
  channel.send('that was all');
  const text = await channel.next();
  const { error } = JSON.parse(text) as { error?: { code?: number; message?: string } };
  if (error?.code !== -32700 || !error.message?.includes('that was')) throw new Error(`after the last line came ${text}`);
}
