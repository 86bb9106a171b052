import { errorMessage } from '../jsonrpc/internal-exports.ts';
import { compile } from '../schema/index.ts';
import type { AddTool, Context, EntryHandle, ToolDefinition, ToolReturn } from '../server/index.ts';
import type { ToolDescription } from './description.ts';
import type { ExecutableFile } from './file-checks.ts';
import type { CallableTool } from './tool-call.ts';

/** The last known state of a file or pipeline: registered as a tool, or rejected. */
interface KnownTool {
  readonly version: string;
  readonly described: string;
  readonly handle?: EntryHandle<ToolDefinition>;
  readonly tool?: CallableTool;
}

/** The options of `knownTools`. */
export interface KnownToolsOptions {
  readonly server: { readonly tool: AddTool<Context> };
  /** Runs the tool with this description for a client. */
  readonly run: (description: ToolDescription, params: unknown, ctx: Context) => Promise<ToolReturn>;
  /** Called with the reason why a file is not a tool: once for each version of the file. */
  readonly onProblem?: ((file: string, why: string) => void) | undefined;
}

/** The known files and pipelines of a folder, by key: the file's name, or `pipeline.json#name`. */
export interface KnownTools {
  readonly names: readonly string[];
  find(name: string): CallableTool | undefined;
  /** The last known version. */
  version(key: string): string | undefined;
  /**
   * Registers a tool on the server, replacing the one with this key, unless it is unchanged. If another tool has its
   * name, that is reported as a problem.
   */
  set(key: string, version: string, description: ToolDescription, file?: ExecutableFile): void;
  /** Reports that the file is not a tool, and removes a tool that it was before. */
  problem(key: string, version: string, why: string): void;
  /** Removes the tools whose keys do not satisfy `fits`. */
  retain(fits: (key: string) => boolean): void;
}

/** Makes an empty set of tools. */
export function knownTools(options: KnownToolsOptions): KnownTools {
  const { onProblem } = options;
  const known = new Map<string, KnownTool>();

  const find = (name: string): CallableTool | undefined =>
    [...known.values()].find(({ tool }) => tool?.description.name === name)?.tool;

  function replace(key: string, version: string, description: ToolDescription, file: ExecutableFile | undefined): void {
    const before = known.get(key);
    const described = JSON.stringify(description);
    const check = compile(description.parameters);
    const tool = (file ? { description, file, check } : { description, check }) as CallableTool;
    if (before?.handle && before.described === described) {
      known.set(key, { ...before, version, tool });
      return;
    }
    const other = find(description.name);
    if (other && other !== before?.tool) throw new Error(`another tool is called ${description.name}`);
    before?.handle?.remove();
    known.delete(key);
    known.set(key, { version, described, tool, handle: register(options, description) });
  }

  function problem(key: string, version: string, why: string): void {
    const before = known.get(key);
    if (before?.version === version && before.described === why) return;
    before?.handle?.remove();
    known.set(key, { version, described: why });
    onProblem?.(key, why);
  }

  return {
    find, problem,
    get names() {
      return [...known.values()].flatMap(({ tool }) => (tool ? [tool.description.name] : []));
    },
    version: (key) => known.get(key)?.version,
    set(key, version, description, file) {
      try {
        replace(key, version, description, file);
      } catch (thrown) {
        problem(key, version, errorMessage(thrown));
      }
    },
    retain(fits) {
      for (const [key, { handle }] of known) {
        if (fits(key)) continue;
        handle?.remove();
        known.delete(key);
      }
    },
  };
}

function register({ server, run }: KnownToolsOptions, description: ToolDescription): EntryHandle<ToolDefinition> {
  const { name, title, description: text, parameters, output, annotations } = description;
  return server.tool(name, {
    input: parameters,
    ...title !== undefined && { title },
    ...text !== undefined && { description: text },
    ...output && { output },
    ...annotations && { annotations },
  }, (params: unknown, ctx: Context): Promise<ToolReturn> => run(description, params, ctx)) as EntryHandle<ToolDefinition>;
}
