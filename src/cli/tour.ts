import { pause as pauseBy, systemClock } from '../bounds/clock.ts';
import type { AnswerHandlers } from './answers.ts';
import { createExplainer } from './reporter.ts';
import type { Reporter, Row } from './reporter.ts';
import type { ConsentOptions } from './consent.ts';
import { Absent, callTools, cancelCall } from './tool-calls.ts';
import type { Calling } from './tool-calls.ts';
import { createWatchdog } from './watchdog.ts';
import { count } from '../explain/words.ts';
import { McpClient, RpcError } from '../client/index.ts';
import type { CallOptions, ClientOptions } from '../client/index.ts';
import { errorMessage } from '../jsonrpc/internal-exports.ts';
import { expandUriTemplate, uriTemplate } from '../protocol/index.ts';
import type { CompleteRequestParams, Prompt, Resource, ResourceTemplate, Root, Tool } from '../protocol/index.ts';
import { compile } from '../schema/full/index.ts';
import type { ClientTransport, HttpTrace } from '../transport/internal-exports.ts';
import { version } from '../judge/version.ts';

export interface TourOptions {
  /** The heading of the tour. */
  readonly title: string;
  /** Makes the transport; `trace` must receive every message, and may receive HTTP heads and events. */
  readonly transport: (trace: HttpTrace) => ClientTransport;
  readonly reporter: Reporter;
  /** Makes the handlers for the server's requests. The hooks pause the tour meanwhile. */
  readonly answers: (hooks: TourHooks) => AnswerHandlers;
  /** Decides which tools may be called. */
  readonly consent: ConsentOptions;
  /** The reason why a tool is hidden and not called; undefined: it is offered. Default: all are offered. */
  readonly whyHidden?: Calling['whyHidden'];
  /** The directories that the server may write into. */
  readonly roots: readonly Root[];
  readonly era?: ClientOptions['era'];
  /** Default: all that the client supports. */
  readonly revisions?: readonly string[] | undefined;
  /** Milliseconds without a message after which a request counts as unanswered. */
  readonly timeoutMs: number;
  /** Milliseconds between steps, so that a person can follow. Default: 0. */
  readonly paceMs?: number | undefined;
  /** Runs after each exchange, successful or not; the next one waits for it. */
  readonly afterExchange?: (() => Promise<void>) | undefined;
  /** A short walk: only these tools, and the steps that they need. */
  readonly only?: readonly string[] | undefined;
}

export interface TourHooks {
  /** The server's own name, once known. */
  readonly from: () => string | undefined;
  readonly pause: () => void;
  readonly resume: () => void;
}

export interface TourResult {
  readonly ok: boolean;
  readonly rows: readonly Row[];
  readonly messages: number;
  /** Number of calls with an error. */
  readonly errors: number;
}

const most = { resources: 4, prompts: 3 };
/** The most milliseconds for one request, however many messages arrive meanwhile. */
const longestMs = 300_000;

/**
 * Goes through the protocol with one server, from the first message to the last, and reports each step. Never rejects and
 * always ends: a request without an answer is reported.
 */
export async function tour(options: TourOptions): Promise<TourResult> {
  const { reporter, only } = options;
  const rows: Row[] = [];
  const heard = { progress: 0, forms: 0, pages: 0, samples: 0, roots: 0, logs: 0, changes: 0 };
  const problems: string[] = [];
  const watchdog = createWatchdog(options.timeoutMs, longestMs);
  let messages = 0;
  let errors = 0;
  let gone: string | undefined;

  const pause = (): void => {
    watchdog.pause();
    reporter.pause();
  };
  const resume = (): void => {
    watchdog.resume();
    reporter.resume();
  };
  const answers = options.answers({ from: () => client.server?.title ?? client.server?.name, pause, resume });
  const problem = (text: string): void => {
    problems.push(text);
    reporter.problem(text);
  };

  const client = new McpClient({ name: 'barewire-tour', title: 'The tour of barewire', version }, {
    era: options.era,
    revisions: options.revisions,
    // npx may have to download the server first.
    limits: { timeoutMs: 0, maxTimeoutMs: 0, probeTimeoutMs: Math.min(options.timeoutMs, 15_000) },
    validator: (schema) => compile(schema),
    onElicit(form, context) {
      heard.forms++;
      return answers.onElicit(form, context);
    },
    onElicitUrl(page, context) {
      heard.pages++;
      return answers.onElicitUrl(page, context);
    },
    onSample(request, context) {
      heard.samples++;
      return answers.onSample(request, context);
    },
    roots() {
      heard.roots++;
      return options.roots;
    },
    onLog: () => void heard.logs++,
    onListChanged: () => void heard.changes++,
    onResourceUpdated: () => void heard.changes++,
    onError: (error) => problem(error.message),
    onClose(why) {
      gone = why;
      problem(`The connection is gone: ${why}`);
    },
  });

  const explained = createExplainer(systemClock.now(), () => client.revision?.version ?? options.revisions?.[0]);
  const transport = options.transport((entry) => {
    watchdog.heard();
    const said = explained(entry);
    if (said.kind === 'http') return reporter.http(said);
    messages++;
    reporter.message(said);
  });

  const add = (row: Row): void => {
    rows.push(row);
    reporter.result(row);
  };

  /** Runs one step. Resolves with false if it failed. */
  async function step(name: string, intro: string, run: () => Promise<string>): Promise<boolean> {
    if (gone !== undefined) return false;
    reporter.step(name, intro);
    await breathe();
    const before = messages;
    const began = systemClock.monotonic();
    const end = (outcome: Row['outcome'], detail: string): void =>
      add({ step: name, outcome, detail, messages: messages - before, ms: systemClock.monotonic() - began });
    try {
      end('ok', await run());
      return true;
    } catch (error) {
      end(error instanceof Absent ? 'absent' : 'failed', errorMessage(error));
      return false;
    }
  }

  async function part(title: string): Promise<void> {
    await breathe();
    reporter.part(title);
  }

  async function breathe(): Promise<void> {
    if (options.paceMs) await pauseBy(systemClock, options.paceMs);
  }

  /** Every request uses this, so that none waits forever. */
  const ask = async <T>(run: (options: CallOptions) => Promise<T>): Promise<T> => {
    try {
      return await watchdog.guard((signal) => run({ signal }));
    } finally {
      await options.afterExchange?.();
    }
  };

  const declared = (capability: 'tools' | 'resources' | 'prompts' | 'logging'): void => {
    if (client.capabilities?.[capability] === undefined) {
      throw new Absent(`the server does not declare ${capability}`);
    }
  };

  const calling: Calling = {
    client,
    overHttp: transport.kind === 'http',
    only,
    ask,
    part,
    consent: options.consent,
    whyHidden: (tool) => options.whyHidden?.(tool),
    note: (text) => reporter.note(text),
    progressed: () => void heard.progress++,
    gone: () => gone !== undefined,
  };

  reporter.walk(options.title);
  const about = 'The two sides say who they are, and agree on a revision of the protocol.';
  const open = await step('Opening', about, async () => {
    await watchdog.guard(() => client.connect(transport));
    await options.afterExchange?.();
    const { title, name = '(no name)', version = '' } = client.server ?? {};
    return `revision ${client.revision?.version} with ${title ?? name} ${version}`.trimEnd();
  });
  if (open) {
    await walk();
    await step('Shutdown', transport.kind === 'pipe'
      ? 'The client closes the input of the server: that tells it to end.'
      : 'The client ends its streams, and its session if there is one.', async () => {
      await watchdog.guard(() => client.close());
      return 'closed in good order';
    });
  }
  // After a failure the client may still be open.
  await client.close();
  const ok = problems.length === 0 && rows.every(({ outcome }) => outcome !== 'failed');
  if (problems.length > 0) {
    rows.push({ step: 'Problems', outcome: 'failed', detail: problems.join('; '), messages: 0, ms: 0 });
  }
  return { ok, rows, messages, errors };

  async function walk(): Promise<void> {
    let tools: Tool[] = [];
    let resources: Resource[] = [];
    let templates: ResourceTemplate[] = [];
    let prompts: Prompt[] = [];
    let watched: string | undefined;

    await step('Log level', 'The client chooses the level of log messages.', async () => {
      declared('logging');
      const before = messages;
      await ask((how) => client.setLogLevel('debug', how));
      return messages === before ? 'debug, sent with every request from now on' : 'debug';
    });
    await step('Tools', 'The tools a model can call, page by page.', async () => {
      declared('tools');
      tools = await ask((how) => client.listTools(how));
      return listed(tools.length, 'tool');
    });
    if (!only) {
      await step('Resources', 'Resources that can be read.', async () => {
        declared('resources');
        resources = await ask((how) => client.listResources(how));
        return listed(resources.length, 'resource');
      });
    }
    await step('Templates', 'Templates for families of resources.', async () => {
      declared('resources');
      try {
        templates = await ask((how) => client.listResourceTemplates(how));
      } catch (error) {
        // A server with this capability need not have templates.
        if (error instanceof RpcError && error.code === -32601) {
          throw new Absent('the server has no templates');
        }
        throw error;
      }
      return listed(templates.length, 'template');
    });
    if (!only) {
      await step('Prompts', 'Prompts that a person can start from.', async () => {
        declared('prompts');
        prompts = await ask((how) => client.listPrompts(how));
        return listed(prompts.length, 'prompt');
      });
      await step('Reading', 'Resources are read by their URI.', () => read(resources));
    }
    await step(
      'A template', 'Its variables get values, and the resulting URI is read.', () => fill(templates),
    );
    await step('Subscribing', 'From now on the server tells when this resource changes.', async () => {
      if (!client.capabilities?.resources?.subscribe) {
        throw new Absent('the server does not declare subscriptions');
      }
      const all = only ? await ask((how) => client.listResources(how)) : resources;
      const telling = /subscri|calendar|chang|live/i;
      const chosen = all.find(({ name, description }) => telling.test(`${name} ${description}`)) ?? all[0];
      if (!chosen) throw new Absent('there is nothing to subscribe to');
      await ask((how) => client.subscribe(chosen.uri, how));
      watched = chosen.uri;
      return chosen.uri;
    });
    if (!only) {
      await step(
        'Prompting', 'Arguments are completed as they are typed; the prompt becomes messages.',
        () => prompt(prompts),
      );
    }
    const before = { ...heard };
    await step(
      'Calling tools', 'Each tool with consent is called, with arguments made from its schema. The server may ask back.',
      async () => {
        declared('tools');
        const made = await callTools(tools, calling);
        errors += made.errors;
        return made.said;
      },
    );
    told(before);
    await step('Cancelling', 'The client no longer wants an answer, and says so.', () => cancelCall(tools, calling));
    if (watched !== undefined) {
      const uri = watched;
      await step('Unsubscribing', 'The server need not report changes any more.', async () => {
        await ask((how) => client.unsubscribe(uri, how));
        return uri;
      });
    }
    await step('Ping', 'Is the other side still there?', async () => {
      await ask((how) => client.ping({ ...how, fresh: true }));
      return 'it is';
    });
  }

  /** Adds rows about the notifications and requests that the server sent; none of them is required. */
  function told(before: typeof heard): void {
    const row = (step: string, outcome: Row['outcome'], detail: string): void =>
      void rows.push({ step: `  ${step}`, outcome, detail, messages: 0, ms: 0 });
    const none: string[] = [];
    const kind = (name: string, n: number, detail: string): void => {
      if (n > 0) row(name, 'ok', detail);
      else none.push(name);
    };
    const { progress, forms, pages, samples, roots, logs, changes } = heard;
    kind('progress', progress - before.progress, count(progress, 'report'));
    kind('forms', forms, `${count(forms, 'form')} answered`);
    kind('pages', pages, `${count(pages, 'visit')} asked for`);
    kind('sampling', samples, `${count(samples, 'question')} to the model answered`);
    kind('roots', roots, `asked for ${roots === 1 ? 'once' : `${roots} times`}`);
    kind('log messages', logs, count(logs, 'message'));
    kind('changes', changes, `${count(changes, 'change')} told`);
    if (none.length > 0) row('not used', 'absent', none.join(', '));
  }

  async function read(resources: readonly Resource[]): Promise<string> {
    declared('resources');
    if (resources.length === 0) throw new Absent('there are none');
    const some = resources.slice(0, most.resources);
    for (const { uri } of some) await ask((how) => client.readResource(uri, how));
    return `${some.length} of ${resources.length} read`;
  }

  /** A value for an argument: the server's first suggestion, otherwise a guess. */
  async function suggest(
    ref: CompleteRequestParams['ref'], name: string, settled: Record<string, string>,
  ): Promise<string> {
    const guess = /id$|num|count|days|duration/i.test(name) ? '1' : 'example';
    if (!client.capabilities?.completions) return guess;
    const { values } = await ask((how) => client.complete(ref, { name, value: '' }, settled, how));
    return values[0] ?? guess;
  }

  async function fill(templates: readonly ResourceTemplate[]): Promise<string> {
    const [template] = templates;
    if (!template) throw new Absent('there are none');
    const values: Record<string, string> = {};
    for (const name of uriTemplate(template.uriTemplate).variables) {
      values[name] = await suggest({ type: 'ref/resource', uri: template.uriTemplate }, name, { ...values });
    }
    const uri = expandUriTemplate(template.uriTemplate, values);
    return `${uri} ${await refusable(() => ask((how) => client.readResource(uri, how)), 'read')}`;
  }

  async function prompt(prompts: readonly Prompt[]): Promise<string> {
    declared('prompts');
    if (prompts.length === 0) throw new Absent('there are none');
    const done: string[] = [];
    for (const { name, arguments: wanted = [] } of prompts.slice(0, most.prompts)) {
      await part(name);
      const args: Record<string, string> = {};
      for (const argument of wanted) {
        args[argument.name] = await suggest({ type: 'ref/prompt', name }, argument.name, { ...args });
      }
      const get = (): Promise<unknown> =>
        ask((how) => client.getPrompt(name, wanted.length > 0 ? args : undefined, how));
      // The server may refuse made-up arguments, but not a request without arguments.
      if (wanted.length > 0) done.push(`${name} ${await refusable(get, 'became messages')}`);
      else {
        await get();
        done.push(`${name} became messages`);
      }
    }
    return done.join(', ');
  }
}

/** Runs a request with made-up arguments: an error response is not a failure. */
async function refusable(run: () => Promise<unknown>, done: string): Promise<string> {
  try {
    await run();
    return done;
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    return `was refused: ${error.message}`;
  }
}

const listed = (n: number, noun: string): string => `${count(n, noun)} listed`;
