import assert from 'node:assert/strict';
import { createServer, request as httpRequest } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { McpClient } from '../../src/client/index.ts';
import { httpTransport } from '../../src/transport/http/node/index.ts';
import { fillText, textDifference } from './http-wire.ts';
import type { EventStep, HttpStep, HttpTranscript, RequestStep, ResponseStep } from './http-wire.ts';
import { inbox } from './play.ts';
import { difference, fill } from '../../src/transcript/difference.ts';

type Bag = Record<string, unknown>;
type Known = Map<string, unknown>;

const isBag = (value: unknown): value is Bag => typeof value === 'object' && value !== null && !Array.isArray(value);

function check(step: HttpStep, differs: string | undefined): void {
  if (differs !== undefined) throw new Error(`line ${step.at}: ${differs}`);
}

function checkFields(step: HttpStep, fields: ReadonlyMap<string, string>, got: (name: string) => string | undefined, known: Known): void {
  for (const [name, expected] of fields) {
    const differs = textDifference(expected, got(name), known);
    check(step, differs && `${name}: ${differs}`);
  }
}

// ---- the client's side, played to a server

/** The response to one request. */
interface Exchange {
  readonly response: Promise<IncomingMessage>;
  /** The events of its stream, as the text between two empty lines. */
  events: ReturnType<typeof inbox> | undefined;
}

/** The events of a stream as sent, without comments. */
function eventsOf(response: IncomingMessage): ReturnType<typeof inbox> {
  const events = inbox();
  let rest = '';
  response.setEncoding('utf8').on('data', (text: string) => {
    const parts = `${rest}${text}`.split('\n\n');
    rest = parts.pop() ?? '';
    for (const part of parts) {
      const lines = part.split('\n').filter((line) => !line.startsWith(':') && line !== '');
      if (lines.length > 0) events.put(lines.join('\n'));
    }
  });
  response.on('error', () => {});
  response.on('close', () => events.end('the stream has ended'));
  return events;
}

async function textOf(response: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) text += chunk;
  return text;
}

/** Plays the client's side against the server at a port. Throws at the first difference, with the line of the transcript. */
export async function playHttpClient({ defined, steps }: HttpTranscript, port: number, restart?: () => Promise<void>): Promise<void> {
  const known: Known = new Map(defined);
  const exchanges = new Map<number, Exchange>();
  const of = ({ exchange, at }: HttpStep): Exchange =>
    exchanges.get(exchange) ?? assert.fail(`line ${at}: there was no request ${exchange}`);
  for (const step of steps) {
    switch (step.kind) {
      case 'request': {
        const headers = Object.fromEntries([...step.headers].map(([name, value]) => [name, fillText(value, known)]));
        const body = step.body === undefined ? undefined : JSON.stringify(fill(step.body, known));
        const response = new Promise<IncomingMessage>((resolve, reject) => {
          const sent = httpRequest({
            host: '127.0.0.1', port, method: step.method, path: fillText(step.path, known), headers, agent: false,
          }, resolve);
          sent.on('error', reject).end(body);
        });
        response.catch(() => {});
        exchanges.set(step.exchange, { response, events: undefined });
        break;
      }
      case 'response': {
        const exchange = of(step);
        const response = await exchange.response;
        check(step, response.statusCode === step.status ? undefined : `expected ${step.status}, got ${response.statusCode}`);
        checkFields(step, step.headers, (name) => response.headers[name]?.toString(), known);
        if (step.headers.get('content-type') === 'text/event-stream') exchange.events = eventsOf(response);
        else {
          const text = await textOf(response);
          if (step.body === undefined) check(step, text === '' ? undefined : `expected no body, got ${text}`);
          else check(step, difference(step.body, JSON.parse(text), known));
        }
        break;
      }
      case 'event': {
        const text = await of(step).events?.next() ?? assert.fail(`line ${step.at}: the response is no stream`);
        const fields = new Map(text.split('\n').map((line) => {
          const [, name = '', value = ''] = /^(\w+):? ?(.*)$/.exec(line) ?? [];
          return [name, value];
        }));
        checkFields(step, step.fields, (name) => fields.get(name), known);
        const data = fields.get('data') ?? '';
        for (const name of fields.keys()) check(step, name === 'data' || step.fields.has(name) ? undefined : `${name} is there, and was not expected`);
        if (step.data !== undefined) check(step, difference(step.data, JSON.parse(data), known));
        else check(step, textDifference(step.text ?? '', data, known));
        break;
      }
      case 'end':
        await assert.rejects(of(step).events?.next() ?? assert.fail(`line ${step.at}: the response is no stream`),
          /the stream has ended/, `line ${step.at}`);
        break;
      case 'cut':
        (await of(step).response).destroy();
        break;
      case 'restart': await restart?.();
    }
  }
  for (const { response } of exchanges.values()) (await response).destroy();
}

// ---- the server's side, played to the client

/** A request that arrived before the transcript expected it. */
interface Arrived {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly body: unknown;
}

/** Placeholders of the server, such as a session id, which the client only repeats: any value will do. */
class Inventing extends Map<string, unknown> {
  readonly #known: Known;

  constructor(known: Known) {
    super();
    this.#known = known;
  }

  override has(): boolean {
    return true;
  }

  override get(name: string): unknown {
    if (!this.#known.has(name)) this.#known.set(name, name.slice(1, -1).replaceAll(' ', '-'));
    return this.#known.get(name);
  }
}

/** Removes the progress token, which the client sends with every long call and transcripts leave out. */
function withoutProgressToken(expected: unknown, got: unknown): unknown {
  if (!isBag(got) || !isBag(got['params']) || JSON.stringify(expected).includes('progressToken')) return got;
  const { _meta, ...params } = got['params'];
  if (!isBag(_meta)) return got;
  const { progressToken, ...meta } = _meta;
  return { ...got, params: { ...params, ...Object.keys(meta).length > 0 && { _meta: meta } } };
}

/** The person's answers, in the order of the transcript. */
function answersOf(steps: readonly HttpStep[]): Bag[] {
  const bodies = steps.filter((step): step is RequestStep => step.kind === 'request').map(({ body }) => body).filter(isBag);
  return bodies.flatMap(({ result, params }) => {
    if (isBag(result)) return [result];
    const responses = isBag(params) ? params['inputResponses'] : undefined;
    return isBag(responses) ? Object.values(responses).filter(isBag) : [];
  });
}

/** Plays the server's side against the real client. Throws at the first difference, with the line of the transcript. */
export async function playHttpServer({ defined, steps }: HttpTranscript, revision: string): Promise<void> {
  const known: Known = new Map(defined);
  const arrived: Arrived[] = [];
  let wake: () => void = () => {};
  const http = createServer(async (request, response) => {
    response.on('error', () => {});
    const text = await textOf(request).catch(() => '');
    arrived.push({ request, response, body: text === '' ? undefined : JSON.parse(text) as unknown });
    wake();
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const { port } = http.address() as AddressInfo;

  const first = steps.find((step): step is RequestStep => step.kind === 'request') ?? assert.fail('nothing is asked');
  const answers = answersOf(steps);
  const asks = steps.some((step) => step.kind === 'request' && JSON.stringify(step.body ?? '').includes('"elicitation"'))
    || JSON.stringify([...defined]).includes('"elicitation"');
  const client = new McpClient({ name: 'reader', version: '1.0.0' }, {
    revisions: [revision],
    ...asks && { onElicit: () => answers.shift() as { action: 'accept'; content: Bag } },
  });
  const transport = httpTransport(`http://127.0.0.1:${port}${first.path}`, { limits: { reconnectMinMs: 1 } });
  const connected = client.connect(transport);
  const results: Promise<unknown>[] = [connected];
  const exchanges = new Map<number, ServerResponse>();
  /** The calls made by the client, by the exchange of their first request. */
  const calls = new Map<number, Promise<unknown>>();
  /** Calls whose session was lost, which the client repeats by itself. */
  const again = new Map<string, Promise<unknown>>();
  const asked = ({ method, params }: Bag): string => JSON.stringify([method, params]);
  const sent = new Map(steps.filter((step): step is RequestStep => step.kind === 'request').map((step) => [step.exchange, step.body]));
  const of = ({ exchange, at }: HttpStep): ServerResponse =>
    exchanges.get(exchange) ?? assert.fail(`line ${at}: there was no request ${exchange}`);
  const deadline = AbortSignal.timeout(20_000);

  /** Makes the client send a request that it does not send by itself. */
  function drive({ exchange, method, body }: RequestStep): void {
    if (method === 'DELETE') results.push(client.close());
    if (!isBag(body) || typeof body['method'] !== 'string' || body['id'] === undefined) return;
    const { _meta, ...params } = (fill(body['params'] ?? {}, new Inventing(known)) ?? {}) as Bag;
    if (body['method'] === 'initialize' || body['method'] === 'server/discover' || params['inputResponses'] !== undefined) return;
    if (body['method'] === 'subscriptions/listen') {
      const wanted = (params['notifications'] as Bag)['resourceSubscriptions'] as string[];
      results.push(...wanted.map((uri) => connected.then(() => client.subscribe(uri))));
    } else if (again.has(asked(body))) {
      calls.set(exchange, again.get(asked(body)) as Promise<unknown>);
    } else {
      const method = body['method'];
      const call = connected.then(() => client.request(method, params)).catch((error: unknown) => error);
      calls.set(exchange, call);
      results.push(call);
    }
  }

  async function expect(step: RequestStep): Promise<void> {
    const fits = ({ request, body }: Arrived): boolean => request.method === step.method
      && (isBag(step.body) && isBag(body) ? step.body['method'] === body['method'] : step.body === body || body === undefined);
    let index = arrived.findIndex(fits);
    while (index < 0) {
      await new Promise<void>((resolve, reject) => {
        wake = resolve;
        deadline.addEventListener('abort', () => reject(new Error(
          `line ${step.at}: ${step.method} ${step.path} did not come; there are ${arrived.map(({ request, body }) => `${request.method} ${request.url} ${JSON.stringify(body)}`).join(', ') || 'none'}`)));
      });
      index = arrived.findIndex(fits);
    }
    const [{ request, response, body }] = arrived.splice(index, 1) as [Arrived];
    exchanges.set(step.exchange, response);
    check(step, textDifference(step.path, request.url, known));
    checkFields(step, step.headers, (name) => request.headers[name]?.toString(), known);
    if (step.body !== undefined) check(step, difference(step.body, withoutProgressToken(step.body, body), known));
  }

  function write(step: ResponseStep | EventStep): void {
    const response = of(step);
    const invented = new Inventing(known);
    if (step.kind === 'response') {
      for (const [name, value] of step.headers) response.setHeader(name, fillText(value, invented));
      response.writeHead(step.status);
      if (step.headers.get('content-type') === 'text/event-stream') response.flushHeaders();
      else response.end(step.body === undefined ? undefined : JSON.stringify(fill(step.body, invented)));
      return;
    }
    const lines = [...step.fields].map(([name, value]) => `${name}: ${fillText(value, invented)}`);
    const data = step.data === undefined ? fillText(step.text ?? '', invented) : JSON.stringify(fill(step.data, invented));
    response.write([...lines, `data: ${data}`, '', ''].join('\n'));
  }

  try {
    for (const step of steps) {
      switch (step.kind) {
        case 'request':
          if (step !== first) drive(step);
          await expect(step);
          break;
        case 'response':
          write(step);
          // Wait until the client has processed the response: its next call may depend on it, as on a list.
          if (step.status === 404 && calls.has(step.exchange)) again.set(asked(sent.get(step.exchange) as Bag), calls.get(step.exchange) as Promise<unknown>);
          else if (step.body !== undefined && !JSON.stringify(step.body).includes('input_required')) await calls.get(step.exchange);
          break;
        case 'event':
          write(step);
          break;
        case 'end':
          of(step).end();
          break;
        // Written data still arrives, and nothing after it.
        case 'cut':
          of(step).socket?.destroySoon();
          break;
        // Streams stay open, so the client learns of the restart by its next request.
        case 'restart': break;
      }
    }
    // Wait until each answered call has returned to its caller.
    await Promise.race([Promise.all(results), new Promise((_resolve, reject) => {
      deadline.addEventListener('abort', () => reject(new Error('a call of the client has no answer')));
    })]);
  } finally {
    http.closeAllConnections();
    http.close();
    await client.close();
  }
}
