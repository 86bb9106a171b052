import { ask, McpServer, RpcError, ToolError } from '../../src/server/index.ts';
import type { EntryHandle, ServerOptions, ToolDefinition } from '../../src/server/index.ts';
import { memoryStore, tasks } from '../../src/tasks/index.ts';

// The servers of the transcripts, one for each feature, and no larger than the feature needs.

const info = { name: 'transcripts', version: '1.0.0' };
const plain = (options: ServerOptions = {}): McpServer => new McpServer(info, options);
const pixel = 'iVBORw0KGgo=';

function addition(server: McpServer): McpServer {
  server.tool('add', {
    title: 'Add',
    description: 'Adds two numbers',
    input: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] },
    annotations: { readOnlyHint: true },
  }, ({ a, b }) => `${a + b}`);
  return server;
}

function booking(): McpServer {
  const server = plain();
  server.tool('book', {
    description: 'Books a seat',
    input: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  }, async ({ city }, ctx) => {
    const form = await ctx.elicit(`Which seat to ${city}?`, {
      seat: { type: 'string', enum: ['window', 'aisle'] },
      bags: { type: 'integer', minimum: 0, maximum: 2 },
      confirm: { type: 'boolean', default: true },
    }, { key: 'seat' });
    if (form.action !== 'accept') return `Nothing booked: ${form.action}.`;
    return `Booked ${form.content.seat}, bags: ${form.content.bags}.`;
  });
  return server;
}

const fixtures: Readonly<Record<string, () => McpServer>> = {
  lifecycle() {
    const server = new McpServer({
      ...info,
      title: 'Transcripts',
      description: 'What passes on the wire',
      websiteUrl: 'https://example.com/',
      icons: [{ src: 'https://example.com/icon.png', mimeType: 'image/png' }],
    }, { instructions: 'Add what you like.' });
    server.resource('note://one', { name: 'one' }, () => 'one');
    server.prompt('greet', {}, () => 'Say hello.');
    return addition(server);
  },

  negotiation: plain,

  ping: plain,

  tools: () => addition(plain()),

  'structured-output'() {
    const server = plain();
    const city = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] } as const;
    server.tool('weather', {
      description: 'The weather now',
      input: city,
      output: { type: 'object', properties: { celsius: { type: 'number' } }, required: ['celsius'] },
    }, ({ city }) => ({ celsius: city === 'Oslo' ? 3 : 21 }));
    server.tool('cities', {
      description: 'The cities that are known',
      output: { type: 'array', items: { type: 'string' } },
    }, () => ['Oslo', 'Rome']);
    server.tool('broken', {
      description: 'Breaks its own schema',
      output: { type: 'object', properties: { celsius: { type: 'number' } }, required: ['celsius'] },
    }, () => ({ celsius: 'warm' }) as never);
    return server;
  },

  'tool-errors'() {
    const server = addition(plain());
    server.tool('fail', { description: 'Fails as programs do' }, () => {
      throw new ToolError('the disk is full');
    });
    server.tool('refuse', { description: 'Fails as a protocol does' }, () => {
      throw new RpcError(4050, 'not on Sundays', { day: 'Sunday' });
    });
    return server;
  },

  content() {
    const server = plain();
    server.tool('everything', { description: 'One of each kind of content' }, () => ({
      content: [
        { type: 'text', text: 'text' },
        { type: 'image', data: pixel, mimeType: 'image/png' },
        { type: 'audio', data: 'UklGRg==', mimeType: 'audio/wav' },
        { type: 'resource', resource: { uri: 'note://one', mimeType: 'text/plain', text: 'one' } },
        { type: 'resource_link', uri: 'note://two', name: 'two', title: 'The second note' },
      ],
    }));
    return server;
  },

  resources() {
    const server = plain({ cache: { resources: { ttlMs: 60_000, scope: 'public' } } });
    server.resource('note://one', {
      name: 'one',
      title: 'The first note',
      mimeType: 'text/plain',
      size: 3,
      annotations: { audience: ['user'], priority: 0.5 },
    }, () => 'one');
    server.resource('note://pixel', { name: 'pixel', mimeType: 'image/png', cache: { ttlMs: 3_600_000 } }, () =>
      Uint8Array.from(atob(pixel), (character) => character.charCodeAt(0)));
    server.resource('note://', { name: 'all' }, () => [
      { uri: 'note://one', text: 'one' },
      { uri: 'note://pixel', mimeType: 'image/png', blob: pixel },
    ]);
    return server;
  },

  'resource-templates'() {
    const server = plain();
    server.resourceTemplate('weather://{city}/{date}', { name: 'forecast', title: 'A forecast', mimeType: 'text/plain' },
      ({ city, date }) => (city === 'Atlantis' ? undefined : `Rain in ${city} on ${date}`));
    return server;
  },

  subscriptions() {
    const server = plain();
    server.resource('note://one', { name: 'one' }, () => 'one');
    server.resource('note://two', { name: 'two' }, () => 'two');
    server.tool('touch', {
      description: 'Changes a resource',
      input: { type: 'object', properties: { uri: { type: 'string' } }, required: ['uri'] },
    }, ({ uri }) => {
      server.resourceUpdated(uri);
      return 'touched';
    });
    return server;
  },

  prompts() {
    const server = plain();
    server.prompt('plan', {
      title: 'Plan a trip',
      description: 'Plans a trip to a city',
      arguments: { city: { description: 'Where to', required: true }, days: { description: 'How long' } },
    }, ({ city, days }) => [
      { role: 'user', content: { type: 'text', text: `Plan ${days ?? 'some'} days in ${city}.` } },
      { role: 'assistant', content: { type: 'text', text: 'Gladly.' } },
      { role: 'user', content: { type: 'resource_link', uri: `map://${city}`, name: 'map' } },
    ]);
    return server;
  },

  completion() {
    const server = plain();
    const cities = ['Paris', 'Parma', 'Rome'];
    const complete = (typed: string): string[] => cities.filter((city) => city.startsWith(typed));
    server.prompt('plan', {
      arguments: {
        country: { complete: () => ['France', 'Italy'] },
        city: {
          complete: (typed, settled) => complete(typed).filter((city) => settled['country'] !== 'Italy' || city !== 'Paris'),
        },
        mood: {},
      },
    }, () => 'Plan.');
    server.resourceTemplate('weather://{city}', { name: 'weather', complete: { city: complete } }, ({ city }) => city);
    return server;
  },

  logging() {
    const server = plain();
    server.tool('work', { description: 'Says what it does' }, (_args, ctx) => {
      ctx.log('debug', 'every detail');
      ctx.log('info', { step: 1 }, 'worker');
      ctx.log('error', 'it broke');
      return 'worked';
    });
    return server;
  },

  progress() {
    const server = plain();
    server.tool('work', { description: 'Reports its progress' }, (_args, ctx) => {
      ctx.progress(1, 3, 'one of three');
      ctx.progress(2, 3);
      ctx.progress(2, 3);
      ctx.progress(3, 3);
      return 'worked';
    });
    return server;
  },

  cancellation() {
    const server = plain();
    let stopped: unknown = 'nothing';
    server.tool('wait', { description: 'Waits until it is told to stop' }, async (_args, ctx) => {
      await new Promise<void>((resolve) => ctx.signal.addEventListener('abort', () => {
        stopped = (ctx.signal.reason as Error).message;
        resolve();
      }));
      return 'nobody reads this';
    });
    server.tool('why', { description: 'Why the last wait ended' }, () => `${stopped}`);
    return server;
  },

  pagination() {
    const server = plain({ pageSize: 2 });
    for (const name of ['a', 'b', 'c', 'd', 'e']) server.resource(`note://${name}`, { name }, () => name);
    return server;
  },

  'list-changes'() {
    const server = plain();
    let extra: EntryHandle<ToolDefinition> | undefined;
    server.prompt('greet', {}, () => 'Say hello.');
    server.tool('add', { description: 'Adds two tools' }, () => {
      extra = server.tool('extra', {}, () => 'extra');
      server.tool('more', {}, () => 'more');
      return 'added';
    });
    server.tool('rename', { description: 'Changes a tool' }, () => {
      extra?.update({ description: 'One tool more' });
      return 'renamed';
    });
    server.tool('remove', { description: 'Takes a tool away, and adds a prompt' }, () => {
      extra?.remove();
      server.prompt('part', {}, () => 'Say goodbye.');
      return 'removed';
    });
    return server;
  },

  elicitation: booking,

  'wrong-answers': booking,

  'request-state': booking,

  'url-elicitation'() {
    const server = plain();
    server.tool('connect', { description: 'Connects an account' }, async (_args, ctx) => {
      const { action } = await ctx.elicitUrl('Sign in to connect your account.', 'https://example.com/sign-in?state=1', { key: 'sign-in', elicitationId: 'sign-in' });
      return action === 'accept' ? 'Connected.' : 'Not connected.';
    });
    return server;
  },

  sampling() {
    const server = plain();
    server.tool('summarise', {
      description: 'Has the client\'s model summarise a text',
      input: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
    }, async ({ text }, ctx) => {
      const message = await ctx.sample({
        messages: [{ role: 'user', content: { type: 'text', text: `Summarise: ${text}` } }],
        maxTokens: 100,
      }, { key: 'summary' });
      const block = Array.isArray(message.content) ? message.content[0] : message.content;
      return block?.type === 'text' ? block.text : 'no text';
    });
    return server;
  },

  roots() {
    const server = plain();
    server.tool('where', { description: 'Where it may work' }, async (_args, ctx) => {
      const roots = await ctx.roots({ key: 'roots' });
      return roots.map(({ uri }) => uri).join(', ') || 'nowhere';
    });
    return server;
  },

  batching: () => addition(plain()),

  errors: () => addition(plain()),

  /** The client lacks a needed capability: the handler catches the error, or leaves it to the protocol. */
  'missing-capabilities'() {
    const server = plain();
    server.tool('careful', { description: 'Does without an answer' }, async (_args, ctx) => {
      try {
        const answer = await ctx.elicit('Your name?', { name: { type: 'string' } });
        return answer.action;
      } catch {
        return 'Hello, stranger.';
      }
    });
    server.tool('careless', { description: 'Counts on an answer' }, async (_args, ctx) => {
      const answer = await ctx.elicit('Your name?', { name: { type: 'string' } });
      return answer.action;
    });
    return server;
  },

  /** Two parallel questions, then one more; a value that is made once; a generator. */
  'many-questions'() {
    const server = plain();
    let quotes = 0;
    server.tool('plan', { description: 'Asks twice, then once more' }, async (_args, ctx) => {
      const quote = await ctx.once('quote', () => ++quotes);
      const [name, roots] = await Promise.all([
        ctx.elicit('Your name?', { name: { type: 'string' } }),
        ctx.roots(),
      ]);
      if (name.action !== 'accept') return 'Nobody is there.';
      const sure = await ctx.elicit(`${name.content.name}, quote ${quote}: sure?`, { sure: { type: 'boolean' } });
      return `${sure.action}, ${roots.length} roots, quotes made: ${quotes}`;
    });
    server.tool('interview', { description: 'A generator that yields its questions' }, function* () {
      const name = yield* ask.text('Your name?');
      const age = yield* ask.number('Your age?', { integer: true, minimum: 0 });
      return `${name} is ${age}`;
    });
    return server;
  },

  /** Every state and every error of a task. `rest` returns when no task is running. */
  tasks() {
    const server = plain();
    const store = memoryStore();
    const work = tasks(server, { store });
    let open = (): void => {};
    const opened = new Promise<void>((resolve) => (open = resolve));
    server.tool('bake', { description: 'Takes until the oven is opened', task: 'optional' }, async (_args, ctx) => {
      ctx.signal.addEventListener('abort', () => open());
      await opened;
      return 'A cake.';
    });
    server.tool('open', { description: 'Opens the oven' }, () => open());
    server.tool('send', { description: 'Asks where to', task: 'required' }, async (_args, ctx) => {
      const form = await ctx.elicit('Where to?', { city: { type: 'string' } }, { key: 'city' });
      return form.action === 'accept' ? `Sent to ${form.content.city}.` : 'Sent nowhere.';
    });
    server.tool('burn', { description: 'Fails as tools do', task: 'optional' }, () => ({
      content: [{ type: 'text', text: 'All is burnt.' }], isError: true,
    }));
    server.tool('break', { description: 'Fails as the protocol does', task: 'optional' }, () => {
      throw new RpcError(4711, 'The oven is broken');
    });
    server.tool('rest', { description: 'Answers when nothing is being worked on' }, async () => {
      while (work.running > 0 || (await store.due(1)).length > 0) await new Promise((resolve) => setTimeout(resolve, 1));
    });
    return server;
  },

  /** Refused tasks, and tasks that end with an error from the server. */
  'task-errors'() {
    const server = plain();
    const store = memoryStore();
    const work = tasks(server, { store, limits: { maxTasks: 3, maxResultBytes: 100, maxJournalBytes: 400 } });
    server.tool('large', { description: 'Says more than is kept', task: 'required' }, () => 'a'.repeat(200));
    server.tool('busy', { description: 'Does more than is kept', task: 'required' }, async (_args, ctx) => {
      await ctx.once('step', () => 'a'.repeat(400));
      return 'done';
    });
    server.tool('wait', { description: 'Reports, and asks', task: 'required' }, async (_args, ctx) => {
      ctx.progress(1, 2, 'halfway');
      const form = await ctx.elicit('Go on?', { yes: { type: 'boolean' } }, { key: 'yes' });
      return form.action;
    });
    server.tool('rest', { description: 'Answers when nothing is being worked on' }, async () => {
      while (work.running > 0 || (await store.due(1)).length > 0) await new Promise((resolve) => setTimeout(resolve, 1));
    });
    return server;
  },

  /** A client that holds the tasks of its questions. */
  'received-tasks'() {
    const server = plain();
    tasks(server, { askWithTasks: true, limits: { ttlMs: 60_000 } });
    server.tool('confirm', { description: 'Asks whether one is sure' }, async (_args, ctx) => {
      const { action, content } = await ctx.elicit('Sure?', { sure: { type: 'boolean' } });
      return action === 'accept' && content.sure ? 'Sure.' : 'Not sure.';
    });
    server.tool('think', { description: 'Has the model of the client think' }, async (_args, ctx) => {
      const { content } = await ctx.sample({ messages: [{ role: 'user', content: { type: 'text', text: 'Why?' } }], maxTokens: 10 });
      const [block] = [content].flat();
      return block?.type === 'text' ? block.text : 'Nothing.';
    });
    return server;
  },

  'received-tasks-cancellation': () => fixture('received-tasks'),

  /** Notifications about a task, and a question of the `task` function before the task exists. */
  'task-notifications'() {
    const server = plain();
    const store = memoryStore();
    const work = tasks(server, { store, limits: { statusIntervalMs: 1 } });
    server.tool('send', {
      description: 'Asks where to',
      task: async (_args, ctx) => (await ctx.elicit('By parcel?', { parcel: { type: 'boolean' } }, { key: 'parcel' })).content?.parcel === true,
    }, async (_args, ctx) => {
      const parcel = await ctx.elicit('By parcel?', { parcel: { type: 'boolean' } }, { key: 'parcel' });
      if (parcel.content?.parcel !== true) return 'Sent by letter.';
      const form = await ctx.elicit('Where to?', { city: { type: 'string' } }, { key: 'city' });
      return form.action === 'accept' ? `Sent to ${form.content.city}.` : 'Sent nowhere.';
    });
    server.tool('rest', { description: 'Answers when nothing is being worked on' }, async () => {
      while (work.running > 0 || (await store.due(1)).length > 0) await new Promise((resolve) => setTimeout(resolve, 1));
    });
    return server;
  },
};

/** Servers of the HTTP transcripts. They differ only in features of HTTP. */
const overHttp: Readonly<Record<string, () => McpServer>> = {
  'http-sse': () => addition(plain()),
  sessions: () => addition(plain()),
  'refused-session': () => addition(plain()),
  'refused-requests': () => addition(plain()),
  'lost-session': () => addition(plain()),
  changes: () => fixture('subscriptions'),
  resumption: () => fixture('progress'),
  polling() {
    const server = plain();
    server.tool('work', { description: 'Lets the client poll' }, async (_args, ctx) => {
      ctx.closeStream();
      return 'worked';
    });
    return server;
  },
  questions: booking,
  'refused-headers': () => overHttp['mirrored-headers']?.() ?? plain(),
  'mirrored-headers'() {
    const server = plain();
    server.tool('weather', {
      description: 'The weather now',
      input: { type: 'object', properties: { city: { type: 'string', 'x-mcp-header': 'City' } }, required: ['city'] },
    }, ({ city }) => `Rain in ${city}`);
    return server;
  },
  listen: () => fixture('subscriptions'),
};

/** A new server for the transcripts of one feature. Throws if no feature has this name. */
export function fixture(feature: string): McpServer {
  const make = Object.hasOwn(fixtures, feature) ? fixtures[feature] : overHttp[feature];
  if (make === undefined) throw new Error(`no server for the transcripts of ${JSON.stringify(feature)}`);
  return make();
}
