// One client of the load run: a revision, an endpoint, and a loop of calls. `calls` records each call.
import { McpClient } from '../../../dist/lib/client.js';
import { httpTransport } from '../../../dist/lib/fetch.js';

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** The revisions and endpoints of the clients. An HTTP+SSE connection of 2024-11-05 ends with its process. */
export const kinds = [
  { name: '2024-11-05 HTTP+SSE', revision: '2024-11-05', path: '/sse', pair: true },
  { name: '2025-03-26', revision: '2025-03-26', path: '/mcp' },
  { name: '2025-06-18', revision: '2025-06-18', path: '/mcp', elicits: true },
  { name: '2025-11-25', revision: '2025-11-25', path: '/mcp', elicits: true },
  { name: '2026-07-28', revision: '2026-07-28', path: '/mcp', modern: true, elicits: true },
];

export class LoadClient {
  constructor({ kind, number, base, random, state }) {
    Object.assign(this, { kind, number, base, random, state });
    this.calls = [];
    this.updates = [];
    this.connects = 0;
    this.cuts = 0;
    this.refusedAnswers = 0;
    this.takenAnswers = 0;
    this.lostSessions = 0;
    this.duplicates = 0;
    this.errors = [];
    /** Calls in progress, by id. */
    this.open = new Map();
    this.uri = `note:///n${number}`;
  }

  async connect() {
    const { kind } = this;
    const answered = new Set();
    const asked = (id) => {
      const call = this.calls.find((one) => one.id === id);
      if (call) call.asked = performance.now();
      return `w-${id}`;
    };
    const asks = ({ message }) => ({ action: 'accept', content: { word: asked(message) } });
    const client = new McpClient({ name: `client-${this.number}`, version: '1' }, {
      revisions: [kind.revision],
      ...(kind.elicits && { onElicit: asks }),
      onSample: ({ messages }) => ({
        role: 'assistant', model: 'm', content: { type: 'text', text: asked([messages[0].content].flat()[0].text) },
      }),
      onResourceUpdated: (uri) => this.updates.push({ uri, at: performance.now() }),
      onError: (error) => this.errors.push(error.message),
      onClose: () => (this.client = undefined),
    });
    await client.connect(httpTransport(`${this.base}${kind.path}`, {
      fetch: (...args) => this.fetch(...args),
      limits: { reconnectMinMs: 50, reconnectInitialMs: 100, reconnectMaxMs: 500, reconnectAttempts: 200 },
      trace: ({ direction, text }) => {
        if (direction !== 'received' || !text.includes('"jsonrpc"')) return;
        const message = JSON.parse(text);
        if (message.method !== undefined || message.id === undefined) return;
        // Each request is answered once.
        if (answered.has(message.id)) this.duplicates++;
        answered.add(message.id);
      },
    }));
    this.client = client;
    this.connects++;
    await client.subscribe(this.uri);
  }

  /** Retries until it is connected. */
  async connected() {
    while (!this.client && !this.state.over) {
      try {
        await this.connect();
      } catch (thrown) {
        this.client = undefined;
        this.errors.push(`connect: ${thrown.message}`);
        await pause(200);
      }
    }
    return this.client;
  }

  async fetch(input, init) {
    const { kind } = this;
    const body = typeof init?.body === 'string' ? init.body : init?.body ? new TextDecoder().decode(init.body) : '';
    const word = init?.method === 'POST' && !kind.modern && /"w-(c\d+x\d+)"/.exec(body)?.[1];
    const call = word ? this.open.get(word) : undefined;
    let response;
    try {
      response = await fetch(input, init);
    } catch (thrown) {
      if (call) this.refused(call, thrown.message);
      throw thrown;
    }
    const posted = init?.method === 'POST' && this.open.get(/"call":"(c\d+x\d+)"/.exec(body)?.[1]);
    if (posted) posted.posted = `HTTP ${response.status} after ${Math.round(performance.now() - posted.start)} ms`;
    if (call && response.status === 202) {
      call.taken = true;
      this.takenAnswers++;
    } else if (call) this.refused(call, `HTTP ${response.status}`);
    if (response.status === 404 && !kind.pair && !kind.modern) this.lostSessions++;
    const stream = response.headers.get('content-type')?.startsWith('text/event-stream');
    if (!stream || kind.pair || kind.modern || this.state.calm || this.random() > 0.3) return response;
    return new Response(this.cut(response.body), { status: response.status, headers: response.headers });
  }

  /** The answer to a question was refused: the handler cannot continue, so the caller aborts the call. */
  refused(call, why) {
    this.refusedAnswers++;
    call.abort.abort(new Error(`the answer was refused: ${why}`));
  }

  /** Returns the body as a stream that breaks somewhere after its first event id. */
  cut(body) {
    const after = 1 + Math.floor(this.random() * 4);
    let chunks = 0;
    let seen = false;
    const reader = body.getReader();
    return new ReadableStream({
      pull: async (controller) => {
        const { done, value } = await reader.read().catch((thrown) => ({ thrown, done: true }));
        if (done) return controller.close();
        seen ||= new TextDecoder().decode(value).includes('id: ');
        controller.enqueue(value);
        if (seen && ++chunks >= after) {
          this.cuts++;
          reader.cancel().catch(() => {});
          controller.error(new Error('the connection was cut by the test'));
        }
      },
      cancel: (reason) => reader.cancel(reason).catch(() => {}),
    });
  }

  /** Makes one call and records its outcome. */
  async call(tool, args, workMs) {
    const call = {
      id: `c${this.number}x${this.calls.length}`, tool, kind: this.kind.name, start: performance.now(), at: Date.now(), workMs,
      progress: [], taken: false, abort: new AbortController(), args,
    };
    this.calls.push(call);
    this.open.set(call.id, call);
    try {
      const { content, isError } = await this.client.callTool(tool, { call: call.id, ...args }, {
        signal: call.abort.signal, timeoutMs: 60_000,
        onProgress: ({ progress }) => call.progress.push(progress),
      });
      call.text = content[0].text;
      if (isError) call.error = new Error(`isError: ${call.text}`);
    } catch (thrown) {
      call.error = thrown;
    }
    call.end = performance.now();
    this.open.delete(call.id);
    return call;
  }

  async run() {
    const { random, kind, state } = this;
    while (!state.over) {
      await pause(200 + random() * state.paceMs);
      const client = await this.connected();
      if (!client || state.over) break;
      const draw = random();
      if (draw < 0.25) await this.call('echo', {}, 0);
      else if (draw < 0.6) {
        const [count, ms] = [2 + Math.floor(random() * 10), 20 + Math.floor(random() * 150)];
        await this.call('steps', { count, ms }, count * ms);
      } else if (draw < 0.85) await this.call(kind.elicits && random() < 0.6 ? 'ask' : 'think', {}, 0);
      else await this.call('touch', { uri: `note:///n${Math.floor(random() * state.clients)}` }, 0);
    }
  }

  async close() {
    await this.client?.close().catch(() => {});
  }
}
