import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { McpClient, RpcError } from '../../src/client/index.ts';
import type { ClientOptions } from '../../src/client/index.ts';
import { decode } from '../../src/jsonrpc/message.ts';
import type { ClientReceiver, ClientTransport } from '../../src/transport/client-port.ts';
import { receiveTasks } from '../../src/tasks/legacy/client-receiver.ts';
import { inbox } from './play.ts';
import { difference, fill } from '../../src/transcript/difference.ts';
import { parseTranscript } from '../../src/transcript/transcript.ts';
import type { Line, Transcript } from '../../src/transcript/transcript.ts';

// The transcripts with sides exchanged: the server's lines are sent to the real client, and the client's messages are compared. The test
// makes the client's requests; its handshake, answers and retries are its own.

const folder = fileURLToPath(new URL('../../../test/transcripts/', import.meta.url));
// Transcripts with messages that the client never sends, or sends by other calls than `request`.
const others = /lifecycle|\/task|negotiation|batching|\/errors|cancellation|progress|wrong-answers|request-state|2026-07-28.(logging|subscriptions|list-changes)/;
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .map((name) => name.replaceAll('\\', '/'))
  .filter((name) => name.endsWith('.wire') && !others.test(name)).sort();

type Bag = Record<string, unknown>;

/** Removes the progress token, which the client sends with every long call, unless the transcript line has one. */
function leaveOutToken(expected: Bag, got: Bag): void {
  const metaOf = ({ params }: Bag): Bag | undefined => (params as Bag | undefined)?.['_meta'] as Bag | undefined;
  const meta = metaOf(got);
  if (meta?.['progressToken'] === undefined || metaOf(expected)?.['progressToken'] !== undefined) return;
  delete meta['progressToken'];
  if (Object.keys(meta).length === 0) delete (got['params'] as Bag)['_meta'];
}

/** A question that the client's handler has received and not yet answered. */
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
  // A modern client begins with server/discover, which the transcripts of other features leave out.
  const offset = modern ? 1 : 0;
  if (modern) {
    const { id, method } = JSON.parse(await said.next()) as Bag;
    assert.deepEqual([id, method], [1, 'server/discover']);
    deliver({ jsonrpc: '2.0', id, result: { resultType: 'complete', supportedVersions: [revision], capabilities: everything, ttlMs: 0, cacheScope: 'private' } });
    await connected;
  }

  /** The pending calls by the id of their latest round; and the methods of questions by their id. */
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

  /** Fills the placeholders of a line. Values that the client itself invents keep their placeholder. */
  function read(json: unknown): Bag {
    const all = new Map(known);
    for (const [name] of JSON.stringify(json).matchAll(/<(?:task \d+|any)>/g)) if (!all.has(name)) all.set(name, name);
    return fill(json, all) as Bag;
  }

  /** Makes the client send a message that it does not send by itself. `later`: the lines after this one. */
  async function prompt(line: Line, previous: Line | undefined, later: readonly Line[]): Promise<void> {
    const { id, method, params, ...rest } = read(line.json);
    if (method === undefined) {
      const asked = questions.get(id);
      const made = (rest['result'] as Bag | undefined)?.['task'] !== undefined;
      // A client that is asked with a task creates it and answers requests about it by itself.
      const refused = (rest['error'] as Bag | undefined)?.['code'] === -32602;
      if (!made && !refused && !asked?.startsWith('tasks/')) await answer(asked, rest);
      return;
    }
    if (method === 'notifications/tasks/status') {
      if ((params as Bag)['status'] === 'cancelled') return void handed.shift();
      // The person's answer is in the result that follows.
      const given = later.find(({ from, json }) => from === 'client' && !('method' in (json as Bag)));
      const { result, error } = read(given?.json);
      const { _meta, ...said } = (result ?? {}) as Bag;
      return answer(handed[0]?.method, error ? { error } : { result: said });
    }
    const { _meta, inputResponses, requestState, ...own } = (params ?? {}) as Bag;
    if (requestState !== undefined) {
      // The next round of the previous call: answer its questions.
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
      // The client may need some turns to process it, and must finish before the next prompt.
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
