import { readdirSync, readFileSync, watch } from 'node:fs';
import type { FSWatcher } from 'node:fs';
import { join } from 'node:path';
import { checkOptions } from '../bounds/options.ts';
import { isObject } from '../jsonrpc/codec.ts';
import { errorMessage } from '../jsonrpc/errors.ts';
import { compile } from '../schema/index.ts';
import { ToolError } from '../server/index.ts';
import type { AddTool, Context, Handle, ToolDefinition, ToolReturn } from '../server/index.ts';
import { findConfinement, findUser } from './confinement.ts';
import { describe } from './description.ts';
import type { ToolDescription } from './description.ts';
import { checkFile, checkFolder, checkOwner } from './file-checks.ts';
import type { ExecutableFile } from './file-checks.ts';
import { defaultExecutableLimits } from './limits.ts';
import type { ExecutableLimits } from './limits.ts';
import { readPipelines } from './pipeline.ts';
import { ToolCall } from './tool-call.ts';
import type { Callable } from './tool-call.ts';
import { Runner } from './tool-process.ts';

/** What `executables` may be given. */
export interface ExecutablesOptions {
  /** Given to every tool, beside PATH, HOME (a folder of its own) and LANG. */
  readonly env?: Readonly<Record<string, string>>;
  /** Another user to run tools as: a name of /etc/passwd, or UID:GID. Only where this process is root's. */
  readonly user?: string;
  readonly limits?: Partial<ExecutableLimits>;
  /** Whether changes of the folder are followed. True. */
  readonly watch?: boolean;
  /** Hears why a file is no tool: once for each version of the file. */
  readonly onProblem?: (file: string, why: string) => void;
  /** Gets each line that a tool writes to stderr. */
  readonly onStderr?: (file: string, line: string) => void;
}

/** The tools of a folder on a server. */
export interface Executables {
  /** What bounds each run, in words. */
  readonly confinement: string;
  /** What is not bounded. */
  readonly warning: string | undefined;
  /** Whether the number of processes of a run is bounded. */
  readonly boundsProcesses: boolean;
  /** The names of the tools. */
  readonly tools: readonly string[];
  /** Looks at the folder now; resolves when its tools are what is in it. */
  refresh(): Promise<void>;
  /** Takes the tools off the server, and ends those that run. */
  close(): Promise<void>;
}

/** One file, or one pipeline, as it was found last. */
interface Known {
  readonly version: string;
  readonly described: string;
  readonly handle?: Handle<ToolDefinition>;
  readonly tool?: Callable;
}

/** Milliseconds of quiet after a change in the folder: programs write files in several steps. */
const quietMs = 100;

/**
 * Makes each executable file of a folder a tool of the server. This executes them: with `--schema` to learn what they
 * are, and for each call. See `barewire serve --help` for what an executable reads and writes.
 *
 * Rejects where the folder is none or others may write into it, and where `user` is none.
 */
export async function executables(
  server: { readonly tool: AddTool<Context> }, folder: string, options: ExecutablesOptions = {},
): Promise<Executables> {
  checkOptions('executables: options', options, {
    env: 'object', user: 'string', limits: defaultExecutableLimits, watch: 'boolean', onProblem: 'function', onStderr: 'function',
  });
  const { env, onProblem, onStderr } = options;
  const limits = { ...defaultExecutableLimits, ...options.limits };
  const real = checkFolder(folder);
  const confinement = findConfinement(limits, options.user === undefined ? undefined : findUser(options.user));
  const runner = new Runner({ confinement, limits, env, onStderr });
  /** By file, and `pipeline.json#name`. */
  const known = new Map<string, Known>();
  let closed = false;

  const held = (name: string): Callable | undefined =>
    [...known.values()].find(({ tool }) => tool?.description.name === name)?.tool;

  /** The tool as it is now: a file that was changed since it was described is looked at again before it is run. */
  async function find(name: string): Promise<Callable | undefined> {
    const file = held(name)?.file;
    if (file === undefined) return held(name);
    const verdict = checkFile(real, file.name);
    if (verdict === undefined || 'fault' in verdict || verdict.version !== file.version) await refresh();
    return held(name);
  }

  function register(description: ToolDescription, file: ExecutableFile | undefined): Handle<ToolDefinition> {
    const { name, title, description: text, parameters, output, annotations } = description;
    return server.tool(name, {
      input: parameters,
      ...title !== undefined && { title },
      ...text !== undefined && { description: text },
      ...output && { output },
      ...annotations && { annotations },
    }, async (params: unknown, ctx: Context): Promise<ToolReturn> => {
      const tool = await find(name);
      if (!tool) throw new ToolError(`${name} is not there any more`);
      const ending = await new ToolCall(runner, limits, find, ctx).run(tool, params);
      if (ending.kind === 'error') {
        throw new ToolError(ending.code === undefined ? ending.message : `${ending.message} (${ending.code})`);
      }
      return shown(ending.value, output !== undefined);
    }) as Handle<ToolDefinition>;
  }

  /** Puts what was found in place of what was known, unless it is the same. */
  function replace(key: string, version: string, description: ToolDescription, file: ExecutableFile | undefined): void {
    const before = known.get(key);
    const described = JSON.stringify(description);
    const check = compile(description.parameters);
    const tool = (file ? { description, file, check } : { description, check }) as Callable;
    if (before?.handle && before.described === described) {
      known.set(key, { ...before, version, tool });
      return;
    }
    const other = held(description.name);
    if (other && other !== before?.tool) throw new Error(`another tool is called ${description.name}`);
    before?.handle?.remove();
    known.delete(key);
    known.set(key, { version, described, tool, handle: register(description, file) });
  }

  function problem(key: string, version: string, why: string): void {
    const before = known.get(key);
    if (before?.version === version && before.described === why) return;
    before?.handle?.remove();
    known.set(key, { version, described: why });
    onProblem?.(key, why);
  }

  /** Resolves with what is to be done then: files are asked at once, and registered in their order. */
  async function lookAtFile(name: string): Promise<() => void> {
    const verdict = checkFile(real, name);
    if (verdict === undefined) return () => {};
    if ('fault' in verdict) return () => problem(name, '', verdict.fault);
    const { version } = verdict;
    if (known.get(name)?.version === version) return () => {};
    try {
      const description = await describe(runner, verdict, limits);
      return () => {
        try {
          replace(name, version, description, verdict);
        } catch (thrown) {
          problem(name, version, errorMessage(thrown));
        }
      };
    } catch (thrown) {
      return () => problem(name, version, errorMessage(thrown));
    }
  }

  function lookAtPipelines(names: readonly string[]): string[] {
    const key = 'pipeline.json';
    if (!names.includes(key)) return [];
    let text = '';
    try {
      // It says which programs are run with what.
      checkOwner(join(real, key));
      text = readFileSync(join(real, key), 'utf8');
      const pipelines = readPipelines(text);
      known.delete(key);
      for (const pipeline of pipelines) {
        const own = `${key}#${pipeline.name}`;
        try {
          replace(own, text, pipeline, undefined);
        } catch (thrown) {
          problem(own, text, errorMessage(thrown));
        }
      }
      return pipelines.map(({ name }) => `${key}#${name}`);
    } catch (thrown) {
      problem(key, text, errorMessage(thrown));
      return [key];
    }
  }

  async function look(): Promise<void> {
    if (closed) return;
    const all = readdirSync(real).sort();
    const names = all.filter((name) => name === 'pipeline.json' || checkFile(real, name) !== undefined);
    const kept = names.slice(0, limits.maxExecutables);
    if (names.length > kept.length) onProblem?.(real, `only the first ${kept.length} executables are served`);
    // Those that have gone first: another may have taken their name.
    for (const [key, { handle }] of known) {
      if (kept.includes(key.split('#', 1)[0] ?? '')) continue;
      handle?.remove();
      known.delete(key);
    }
    const found = await Promise.all(kept.filter((name) => name !== 'pipeline.json').map(lookAtFile));
    if (closed) return;
    for (const settle of found) settle();
    const pipelines = lookAtPipelines(kept);
    for (const [key, { handle }] of known) {
      if (!key.startsWith('pipeline.json') || pipelines.includes(key)) continue;
      handle?.remove();
      known.delete(key);
    }
  }

  /** One look after another. */
  let looking: Promise<void> = Promise.resolve();
  const refresh = (): Promise<void> => {
    const now = looking.then(look);
    looking = now.catch((thrown: unknown) => onProblem?.(real, errorMessage(thrown)));
    return now;
  };

  let watcher: FSWatcher | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  if (options.watch !== false) {
    watcher = watch(real, { persistent: false }, () => {
      clearTimeout(timer);
      timer = setTimeout(() => void refresh().catch(() => {}), quietMs).unref();
    });
    watcher.on('error', (error) => onProblem?.(real, `changes are not followed any more: ${error.message}`));
  }
  try {
    await refresh();
  } catch (thrown) {
    watcher?.close();
    throw thrown;
  }

  return {
    confinement: confinement.description,
    warning: confinement.warning,
    boundsProcesses: confinement.boundsProcesses,
    get tools() {
      return [...known.values()].flatMap(({ tool }) => (tool ? [tool.description.name] : []));
    },
    refresh,
    async close() {
      closed = true;
      watcher?.close();
      clearTimeout(timer);
      await runner.close();
      for (const { handle } of known.values()) handle?.remove();
      known.clear();
    },
  };
}

/** What a tool gave, as what a handler returns: text, a whole result, or a value. */
function shown(value: unknown, structured: boolean): ToolReturn {
  if (structured) return value as ToolReturn;
  if (typeof value === 'string') return value;
  if (isObject(value) && Array.isArray(value['content'])) return value as unknown as ToolReturn;
  return JSON.stringify(value);
}
