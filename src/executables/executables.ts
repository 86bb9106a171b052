import { readdirSync, readFileSync, watch } from 'node:fs';
import type { FSWatcher } from 'node:fs';
import { join } from 'node:path';
import { checkOptions } from '../bounds/options.ts';
import { errorMessage, isObject } from '../jsonrpc/door.ts';
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

/** The options of `executables`. */
export interface ExecutablesOptions {
  /** Environment of every tool, beside PATH, HOME (its own folder) and LANG. */
  readonly env?: Readonly<Record<string, string>>;
  /** Another user to run tools as: a name of /etc/passwd, or UID:GID. Only if this process runs as root. */
  readonly user?: string;
  readonly limits?: Partial<ExecutableLimits>;
  /** Whether to watch the folder for changes. True. */
  readonly watch?: boolean;
  /** Called with the reason why a file is not a tool: once for each version of the file. */
  readonly onProblem?: (file: string, why: string) => void;
  /** Called for each line that a tool writes to stderr. */
  readonly onStderr?: (file: string, line: string) => void;
}

/** The tools of a folder on a server. */
export interface Executables {
  /** What limits each run, in words. */
  readonly confinement: string;
  /** What is not limited. */
  readonly warning: string | undefined;
  /** Whether the number of processes of a run is limited. */
  readonly boundsProcesses: boolean;
  /** The names of the tools. */
  readonly tools: readonly string[];
  /** Reads the folder now; resolves when the tools match its content. */
  refresh(): Promise<void>;
  /** Removes the tools from the server, and ends those that run. */
  close(): Promise<void>;
}

/** One file, or one pipeline, as it was last found. */
interface KnownTool {
  readonly version: string;
  readonly described: string;
  readonly handle?: Handle<ToolDefinition>;
  readonly tool?: Callable;
}

/** Milliseconds to wait after the last change in the folder: programs write files in several steps. */
const quietMs = 100;

/**
 * Makes each executable file of a folder a tool of the server. It runs the files: with `--schema` to get their
 * descriptions, and for each call. See `barewire serve --help` for what an executable reads and writes.
 *
 * Rejects if the folder is not a folder, if others may write into it, and if `user` does not exist.
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
  /** By file name, or by `pipeline.json#name`. */
  const known = new Map<string, KnownTool>();
  let closed = false;

  const held = (name: string): Callable | undefined =>
    [...known.values()].find(({ tool }) => tool?.description.name === name)?.tool;

  /** The current tool: a file that was changed since it was described is described again before it runs. */
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

  /** Replaces the known tool by the found one, unless it is unchanged. */
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

  /** Resolves with the next step: the files are described concurrently, and registered in their order. */
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
      // The file decides which programs run with which input.
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
    // Remove gone tools first: another tool may have taken a name.
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

  /** The reads of the folder run one after another. */
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

/** Converts a tool's result into a handler's result: text, a whole result, or a value. */
function shown(value: unknown, structured: boolean): ToolReturn {
  if (structured) return value as ToolReturn;
  if (typeof value === 'string') return value;
  if (isObject(value) && Array.isArray(value['content'])) return value as unknown as ToolReturn;
  return JSON.stringify(value);
}
