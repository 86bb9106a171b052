import type { McpClient } from 'barewire/client';
import { coreTasks } from 'barewire/protocol';
import type { CallToolResult } from 'barewire/protocol';
import type { JsonSchema } from 'barewire/schema';
import type { ActionName, CallView, ParamsOf } from '../messages.ts';
import type { Handlers } from './actions.ts';
import type { Running } from './calls.ts';
import { faultsOf } from './faults.ts';
import { PageError } from './failure.ts';
import type { PageHost } from './page-host.ts';
import type { PressedCall } from './questions.ts';
import { knowsTasks } from './task-client.ts';

type Names = Extract<ActionName, `tool.${string}` | `resource.${string}` | `prompt.${string}` | `call.${string}` | 'complete'>;

const tasksExtension = 'io.modelcontextprotocol/tasks';

/** Actions for requests to one server: calls, reads, gets, completions, subscriptions. */
export function callActions(page: PageHost): Pick<Handlers, Names> {
  const { host, calls, tasks } = page;

  async function callTool({ server, name, args, lexemes = {}, digest, task: asTask = false, origin }: ParamsOf<'tool.call'>, running: Running): Promise<CallToolResult> {
    const pressed: PressedCall = { lexemes, origin, digest };
    page.pressed.set(running.signal, pressed);
    let key: string | undefined;
    const onProgress: Running['onProgress'] = (progress) => {
      running.onProgress(progress);
      if (key !== undefined) tasks?.progress(key, { progress: progress.progress, total: progress.total ?? null, message: progress.message ?? null });
    };
    const result = await host.call(`${server}/${name}`, args, {
      signal: running.signal, onProgress, timeoutMs: page.limits.callTimeoutMs,
      // Pressing Call is consent to this call of this definition.
      consented: (tool, now) => (now === pressed.digest && origin === undefined && tool.annotations?.destructiveHint !== true ? 'user' : undefined),
      via: async (client, tool, given, options) => {
        running.sends('tools/call');
        const declared = client.revision?.era === 'modern'
          ? client.capabilities?.extensions?.[tasksExtension] !== undefined
          : client.revision !== undefined && coreTasks(client.revision) && (asTask || page.tool(server, tool).tool.execution?.taskSupport === 'required');
        const exact = page.exact.marked(given, lexemes);
        if (!tasks || !knowsTasks(client) || !declared) return client.callTool(tool, exact, options);
        const started = await client.startTool(tool, exact, options);
        if (started.task) {
          key = tasks.follow(server, tool, started.task);
          running.task(started.task.id);
        }
        return started.result();
      },
    });
    running.fault(outputFault(server, name, result));
    return result;
  }

  /** The validator's complaint about a structured result; '' for a valid one. */
  function outputFault(server: string, name: string, { isError, structuredContent }: CallToolResult): string {
    const { outputSchema } = page.tool(server, name).tool;
    if (!outputSchema || isError) return '';
    if (structuredContent === undefined) return 'the tool has an output schema, and its result has no structuredContent';
    try {
      return faultsOf(page.options.compile(outputSchema as JsonSchema), structuredContent).slice(0, 10).map(({ path, what }) => `structuredContent${path} ${what}`).join('; ');
    } catch (thrown) {
      return `the output schema cannot be used: ${thrown instanceof Error ? thrown.message : String(thrown)}`;
    }
  }

  return {
    'tool.call'(params, { signal }) {
      const { server, name, args, lexemes } = params;
      page.entry(server);
      return new Promise<CallView>((resolve) => {
        const about: CallView['about'] = { kind: 'tool', name, args, ...lexemes && { lexemes } };
        void calls.run(server, about, signal, (running) => callTool(params, running), params.task ? resolve : undefined).then(resolve);
      });
    },
    'resource.read'({ server, uri }, { signal }) {
      page.entry(server);
      return calls.run(server, { kind: 'resource', uri }, signal, async (running) => {
        const client = await ready(page, server, running.signal);
        running.sends('resources/read');
        return client.readResource(uri, { signal: running.signal, onProgress: running.onProgress, fresh: true });
      });
    },
    'prompt.get'({ server, name, args }, { signal }) {
      page.entry(server);
      return calls.run(server, { kind: 'prompt', name, args }, signal, async (running) => {
        const client = await ready(page, server, running.signal);
        running.sends('prompts/get');
        return client.getPrompt(name, args, { signal: running.signal, onProgress: running.onProgress });
      });
    },
    'call.cancel'({ call }) {
      calls.cancel(call);
      return null;
    },
    'call.clear'() {
      calls.clear();
      page.tell({ type: 'calls-cleared' });
      return null;
    },
    'tool.check'({ server, name, args }) {
      const { tool, change } = page.tool(server, name);
      const { inputSchema } = change?.after ?? tool;
      return { faults: faultsOf(page.options.compile(inputSchema as unknown as JsonSchema), args) };
    },
    async 'tool.accept'({ server, name }) {
      const change = host.pendingChanges().find((one) => one.server === server && one.name === name);
      if (!change) throw new PageError('no-such-tool', `${server}/${name} has no change to accept`);
      await host.acceptChange(change);
      page.listAgain(server);
      return null;
    },
    async complete({ server, ref, argument, settled }, { signal }) {
      const client = await ready(page, server, signal);
      return client.complete(ref, argument, settled, { signal });
    },
    async 'resource.subscribe'({ server, uri }, { signal }) {
      const client = await ready(page, server, signal);
      await client.subscribe(uri, { signal });
      page.entry(server).subscriptions.add(uri);
      page.changed(server);
      return null;
    },
    async 'resource.unsubscribe'({ server, uri }, { signal }) {
      const entry = page.entry(server);
      await entry.ready?.unsubscribe(uri, { signal });
      entry.subscriptions.delete(uri);
      page.changed(server);
      return null;
    },
  };
}

/** Connects to a server, and lists it if it was never listed. */
export async function ready(page: PageHost, server: string, signal: AbortSignal): Promise<McpClient> {
  const entry = page.entry(server);
  const client = await page.host.connect(server, signal);
  if (entry.listing === 0) void page.host.refresh(server).catch((thrown: unknown) => page.trouble(server, thrown));
  return client;
}
