import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { McpClient, RpcError } from '../../src/client/index.ts';
import type { ClientOptions } from '../../src/client/index.ts';
import { decode } from '../../src/jsonrpc/codec.ts';
import type { ClientReceiver, ClientTransport } from '../../src/transport/client-port.ts';
import { receiveTasks } from '../../src/tasks/legacy/client.ts';
import { inbox } from './play.ts';
import { difference, fill } from '../../src/transcript/difference.ts';
import { parseTranscript } from '../../src/transcript/transcript.ts';
import type { Line, Transcript } from '../../src/transcript/transcript.ts';

// The transcripts the other way round: what the server says is read out to the real client, and what the client
// sends is compared. Requests of the client's are made for it; its handshake, its answers and its rounds are its own.

const folder = fileURLToPath(new URL('../../../test/transcripts/', import.meta.url));
// Not what the client would never send, or sends by other calls than `request`.
const others = /lifecycle|\/task|negotiation|batching|\/errors|cancellation|progress|wrong-answers|request-state|2026-07-28.(logging|subscriptions|list-changes)/;
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .map((name) => name.replaceAll('\\', '/'))
  .filter((name) => name.endsWith('.wire') && !others.test(name)).sort();

type Bag = Record<string, unknown>;

/** The client sends a progress token with every call that may take long. Transcripts show it where they are about it. */
function leaveOutToken(expected: Bag, got: Bag): void {
  const metaOf = ({ params }: Bag): Bag | undefined => (params as Bag | undefined)?.['_meta'] as Bag | undefined;
  const meta = metaOf(got);
  if (meta?.['progressToken'] === undefined || metaOf(expected)?.['progressToken'] !== undefined) return;
  delete meta['progressToken'];
  if (Object.keys(meta).length === 0) delete (got['params'] as Bag)['_meta'];
}

/** A question that the client has handed to its application, and that waits for its answer. */
interface Handed {
  readonly method: string;
  resolve(answer: unknown): void;
  reject(error: Error): void;
}

const everything = { tools: {}, resources: { subscribe: true }, prompts: {}, completions: {}, logging: {} };

async function playServer({ defined, lines }: Transcript, revision: string): Promise<void> {
  const known = new Map(defined);
  const said = inbox();
  let receiver: ClientReceiver | undefined;
  const deliver = (message: unknown): void => receiver?.message(decode(JSON.stringify(message)));
  const transport: ClientTransport = {
    kind: 'pipe',
    async open(to) {
      receiver = to;
    },
    send: (text) => said.put(text),
    close: async () => {},
  };

  const handed: Handed[] = [];
  const hand = (method: string) => (): Promise<never> => new Promise((resolve, reject) => {
    handed.push({ method, resolve: resolve as (answer: unknown) => void, reject });
  });
  const modern = defined.has('<meta>');
  const opening = lines[0]?.json as { params: Bag };
  const declared = (modern
    ? (defined.get('<meta>') as Bag)['io.modelcontextprotocol/clientCapabilities']
    : opening.params['capabilities']) as { elicitation?: Bag; sampling?: Bag; roots?: Bag };
  const options: ClientOptions = {
    revisions: [revision],
    ...declared.elicitation && { onElicit: hand('elicitation/create') },
    ...declared.elicitation?.['url'] !== undefined && { onElicitUrl: hand('elicitation/create') },
    ...declared.sampling && { onSample: hand('sampling/createMessage') },
    ...declared.roots && { roots: hand('roots/list') },
  };
  const takesTasks = 'tasks' in declared;
  const client = new McpClient({ name: 'reader', version: '1.0.0' }, { ...options, ...takesTasks && { around: receiveTasks } });
  const connected = client.connect(transport);
  // A modern client discovers first, which the transcripts of other features leave out.
  const offset = modern ? 1 : 0;
  if (modern) {
    const { id, method } = JSON.parse(await said.next()) as Bag;
    assert.deepEqual([id, method], [1, 'server/discover']);
    deliver({ jsonrpc: '2.0', id, result: { resultType: 'complete', supportedVersions: [revision], capabilities: everything, ttlMs: 0, cacheScope: 'private' } });
    await connected;
  }

  /** The calls that wait, by the id of their latest round; and what is asked, by the id of the question. */
  const calls = new Map<unknown, Promise<unknown>>();
  const questions = new Map<unknown, string>();
  const results: Promise<void>[] = [];

  async function answer(method: string | undefined, { result, error }: Bag): Promise<void> {
    const index = handed.findIndex((one) => one.method === method);
    assert.ok(index >= 0, `the client has asked nobody about ${method}`);
    const [one] = handed.splice(index, 1);
    if (error) one?.reject(new RpcError((error as RpcError).code, (error as RpcError).message));
    else one?.resolve(method === 'roots/list' ? (result as Bag)['roots'] : result);
  }

  /** A message of the transcript; what the client makes up itself stands as it is. */
  function read(json: unknown): Bag {
    const all = new Map(known);
    for (const [name] of JSON.stringify(json).matchAll(/<(?:task \d+|any)>/g)) if (!all.has(name)) all.set(name, name);
    return fill(json, all) as Bag;
  }

  /** Makes the client say what it does not say by itself. `later`: the lines after this one. */
  async function prompt(line: Line, previous: Line | undefined, later: readonly Line[]): Promise<void> {
    const { id, method, params, ...rest } = read(line.json);
    if (method === undefined) {
      const asked = questions.get(id);
      const made = (rest['result'] as Bag | undefined)?.['task'] !== undefined;
      // A client that is asked with a task makes it by itself, and answers by itself what is asked about it.
      const refused = (rest['error'] as Bag | undefined)?.['code'] === -32602;
      if (!made && !refused && !asked?.startsWith('tasks/')) await answer(asked, rest);
      return;
    }
    if (method === 'notifications/tasks/status') {
      if ((params as Bag)['status'] === 'cancelled') return void handed.shift();
      // What the person says is in the result that follows.
      const given = later.find(({ from, json }) => from === 'client' && !('method' in (json as Bag)));
      const { result, error } = read(given?.json);
      const { _meta, ...said } = (result ?? {}) as Bag;
      return answer(handed[0]?.method, error ? { error } : { result: said });
    }
    const { _meta, inputResponses, requestState, ...own } = (params ?? {}) as Bag;
    if (requestState !== undefined) {
      // The next round of the call before: its questions are answered.
      const asking = previous?.json as { id: number; result: { inputRequests: Record<string, { method: string }> } };
      for (const [key, result] of Object.entries(inputResponses as Bag)) {
        await answer(asking.result.inputRequests[key]?.method, { result });
      }
      calls.set(id, calls.get(asking.id) as Promise<unknown>);
    } else if (method === 'notifications/roots/list_changed') {
      client.setRoots(hand('roots/list'));
    } else if (method !== 'initialize' && method !== 'notifications/initialized') {
      const call = client.request(String(method), params === undefined || (modern && Object.keys(own).length === 0) ? undefined : own);
      call.catch(() => {});
      calls.set(id, call);
    }
  }

  function check(id: unknown, { result, error }: Bag): void {
    const call = calls.get(id);
    if (call === undefined || (result as Bag | undefined)?.['resultType'] === 'input_required') return;
    results.push(error
      ? assert.rejects(call, { name: 'RpcError', code: (error as Bag)['code'] })
      : call.then((value) => assert.deepEqual(value, result)));
  }

  for (const [index, line] of lines.entries()) {
    if (line.from === 'client') {
      await prompt(line, lines[index - 1], lines.slice(index + 1));
      const got = JSON.parse(await said.next().catch((error: Error) => {
        throw new Error(`line ${line.at}: ${error.message}`);
      })) as Bag;
      if (got['method'] !== undefined && typeof got['id'] === 'number') got['id'] -= offset;
      leaveOutToken(line.json as Bag, got);
      const differs = difference(line.json, got, known);
      if (differs !== undefined) throw new Error(`line ${line.at}: ${differs}\nin ${JSON.stringify(got)}`);
    } else {
      for (const name of JSON.stringify(line.json).match(/<(state|cursor) \d+>/g) ?? []) {
        if (!known.has(name)) known.set(name, `${name} as the server made it`);
      }
      for (const name of ['<any>', '<tasks>']) if (!known.has(name)) known.set(name, {});
      const message = fill(line.json, known) as Bag;
      const { id, method } = message;
      if (method !== undefined) questions.set(id, String(method));
      else check(id, message);
      deliver(method === undefined && typeof id === 'number' ? { ...message, id: id + offset } : message);
      // What the client makes of it may take some turns, and comes before what it is made to say next.
      await new Promise((resolve) => setImmediate(resolve));
      if (index === 1 && !modern) await connected;
    }
  }
  await Promise.all(results);
  assert.equal(handed.length, 0);
  await client.close();
}

describe('the real client says what the transcripts say', () => {
  for (const file of files) {
    test(file, () => playServer(parseTranscript(readFileSync(join(folder, file), 'utf8')), dirname(file)));
  }
});
