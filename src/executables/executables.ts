import { systemClock } from '../bounds/clock.ts';
import type { Timer } from '../bounds/clock.ts';
import { readdirSync, readFileSync, watch } from 'node:fs';
import { join } from 'node:path';
import { checkOptions } from '../bounds/options.ts';
import { errorMessage, isObject } from '../jsonrpc/internal-exports.ts';
import { ToolError } from '../server/index.ts';
import type { AddTool, Context, ToolReturn } from '../server/index.ts';
import { findConfinement, findUser } from './confinement.ts';
import { describe } from './description.ts';
import { checkFile, checkFolder, checkRead } from './file-checks.ts';
import { knownTools } from './known-tools.ts';
import type { KnownTools } from './known-tools.ts';
import { defaultExecutableLimits } from './limits.ts';
import type { ExecutableLimits } from './limits.ts';
import { readPipelines } from './pipeline.ts';
import { ToolCall } from './tool-call.ts';
import type { CallableTool, Ending } from './tool-call.ts';
import { Runner } from './tool-process.ts';

/** The options of `executables`. */
export interface ExecutablesOptions {
  /** Environment of every tool, in addition to PATH, HOME (its own folder) and LANG. */
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

/** The tools that a folder adds to a server. */
export interface Executables {
  /** The limits in force for each run, in words. */
  readonly confinement: string;
  /** The missing limits, in words. */
  readonly warning: string | undefined;
  /** Whether the number of processes of a run is limited. */
  readonly boundsProcesses: boolean;
  /** The names of the tools. */
  readonly tools: readonly string[];
  /** Reads the folder now; resolves when the tools match its content. */
  refresh(): Promise<void>;
  /** Removes the tools from the server, and ends running ones. */
  close(): Promise<void>;
}

/** Milliseconds to wait after the last change in the folder: programs write files in several steps. */
const quietMs = 100;

/** The name of the file with the pipelines of a folder. */
const pipelineFile = 'pipeline.json';

/** The options of `folderTools`. */
interface FolderToolsOptions {
  /** The real path of the folder. */
  readonly folder: string;
  readonly runner: Runner;
  readonly limits: ExecutableLimits;
  readonly known: KnownTools;
  readonly onProblem: ExecutablesOptions['onProblem'];
}

/** Makes the function that reads a folder and updates the known tools, unless `isClosed` returns true by then. */
function folderTools({ folder, runner, limits, known, onProblem }: FolderToolsOptions): (isClosed: () => boolean) => Promise<void> {
  /** Resolves with a function that registers the tool: files are described concurrently, but registered in order. */
  async function readTool(name: string): Promise<() => void> {
    const verdict = checkFile(folder, name);
    if (verdict === undefined) return () => {};
    if ('fault' in verdict) return () => known.problem(name, '', verdict.fault);
    const { version } = verdict;
    if (known.version(name) === version) return () => {};
    try {
      const description = await describe(runner, verdict, limits);
      return () => known.set(name, version, description, verdict);
    } catch (thrown) {
      return () => known.problem(name, version, errorMessage(thrown));
    }
  }

  /** Registers the pipelines; returns their keys, or the file's name if it is invalid. */
  function readPipelineFile(): string[] {
    let text = '';
    try {
      // Check the owner, since this file decides which programs run with which input.
      checkRead(join(folder, pipelineFile));
      text = readFileSync(join(folder, pipelineFile), 'utf8');
      return readPipelines(text).map((pipeline) => {
        const key = `${pipelineFile}#${pipeline.name}`;
        known.set(key, text, pipeline);
        return key;
      });
    } catch (thrown) {
      known.problem(pipelineFile, text, errorMessage(thrown));
      return [pipelineFile];
    }
  }

  return async (isClosed) => {
    if (isClosed()) return;
    const names = readdirSync(folder).sort().filter((name) => name === pipelineFile || checkFile(folder, name) !== undefined);
    const kept = names.slice(0, limits.maxExecutables);
    if (names.length > kept.length) onProblem?.(folder, `only the first ${kept.length} executables are served`);
    // Remove deleted tools first: a new tool may reuse a name.
    known.retain((key) => kept.includes(key.split('#', 1)[0] ?? ''));
    const found = await Promise.all(kept.filter((name) => name !== pipelineFile).map(readTool));
    if (isClosed()) return;
    for (const settle of found) settle();
    const pipelines = kept.includes(pipelineFile) ? readPipelineFile() : [];
    known.retain((key) => !key.startsWith(pipelineFile) || pipelines.includes(key));
  };
}

/** Returns a function that queues `work`, so that runs do not overlap. `failed` also gets the error of a run. */
function inTurn(work: () => Promise<void>, failed: (thrown: unknown) => void): () => Promise<void> {
  let last: Promise<void> = Promise.resolve();
  return () => {
    const now = last.then(work);
    last = now.catch(failed);
    return now;
  };
}

/** Calls `changed` when the folder has changed and then stayed unchanged for `quietMs`. Returns a function that stops watching. */
function follow(folder: string, changed: () => void, failed: (error: Error) => void): () => void {
  let timer: Timer | undefined;
  const watcher = watch(folder, { persistent: false }, () => {
    timer?.stop();
    timer = systemClock.after(quietMs, changed, true);
  });
  watcher.on('error', failed);
  return () => {
    watcher.close();
    timer?.stop();
  };
}

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
  let closed = false;

  /** The current tool. A file that changed since its description is described again first. */
  async function find(name: string): Promise<CallableTool | undefined> {
    const file = known.find(name)?.file;
    if (file === undefined) return known.find(name);
    const verdict = checkFile(real, file.name);
    if (verdict === undefined || 'fault' in verdict || verdict.version !== file.version) await refresh();
    return known.find(name);
  }

  const known = knownTools({
    server, onProblem,
    async run({ name, output }, params, ctx) {
      const tool = await find(name);
      if (!tool) throw new ToolError(`${name} is no longer in the folder`);
      return resultOf(await new ToolCall(runner, limits, find, ctx).run(tool, params), output !== undefined);
    },
  });
  const read = folderTools({ folder: real, runner, limits, known, onProblem });
  const refresh = inTurn(() => read(() => closed), (thrown) => onProblem?.(real, errorMessage(thrown)));

  const unfollow = options.watch === false ? () => {} : follow(
    real, () => void refresh().catch(() => {}), (error) => onProblem?.(real, `changes of the folder are no longer seen: ${error.message}`),
  );
  await refresh().catch((thrown: unknown) => {
    unfollow();
    throw thrown;
  });

  return {
    refresh,
    confinement: confinement.description,
    warning: confinement.warning,
    boundsProcesses: confinement.boundsProcesses,
    get tools() {
      return known.names;
    },
    async close() {
      closed = true;
      unfollow();
      await runner.close();
      known.retain(() => false);
    },
  };
}

/** Converts a tool's ending into a handler's result: text, a complete result, or a value. Throws an error ending as `ToolError`. */
function resultOf(ending: Ending, structured: boolean): ToolReturn {
  if (ending.kind === 'error') throw new ToolError(ending.code === undefined ? ending.message : `${ending.message} (${ending.code})`);
  const { value } = ending;
  if (structured) return value as ToolReturn;
  if (typeof value === 'string') return value;
  if (isObject(value) && Array.isArray(value['content'])) return value as unknown as ToolReturn;
  return JSON.stringify(value);
}
