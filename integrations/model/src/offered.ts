import { createHash } from 'node:crypto';
import type { Tool } from 'barewire/protocol';
import { schemaFor } from './input-schema.ts';
import type { InputSchema } from './input-schema.ts';

/** A tool as `client.listTools()` gives it, or under the name that a `Host` gives it (`host.tools()`). */
export type OfferedTool = Tool | { readonly name: string; readonly tool: Tool };

/** Something of a tool that the model's interface does not take, and that the model is therefore not told. */
export interface Lost {
  /** The tool, by the name under which it was offered. */
  readonly tool: string;
  /** A JSON Pointer into the input schema; `#` is the tool itself, which is then left out. */
  readonly path: string;
  readonly why: string;
}

/** A tool made ready for any interface. */
interface PreparedTool {
  readonly name: string;
  readonly offered: string;
  readonly description?: string;
  readonly schema: InputSchema;
}

/** All tools made ready. */
interface Prepared {
  readonly tools: readonly PreparedTool[];
  readonly lost: readonly Lost[];
  /** The offered name of a tool that the model named; undefined where no such tool was offered. */
  readonly offeredName: (name: string) => string | undefined;
}

/** What the interfaces take as a name. Anthropic's longer limit is not used, so that a name means the same tool everywhere. */
const fits = /^[A-Za-z0-9_-]{1,64}$/;

/** Gives each tool a name and a schema that models' interfaces take. The order is kept; of two tools with one name the first is. */
export function prepare(offered: Iterable<OfferedTool>): Prepared {
  const tools = new Map<string, PreparedTool>();
  const lost: Lost[] = [];
  for (const one of offered) {
    const tool = 'tool' in one ? one.tool : one;
    const name = modelName(one.name);
    const losses = (path: string, why: string): void => void lost.push({ tool: one.name, path, why });
    const schema = schemaFor(tool.inputSchema, losses);
    if (schema === undefined) continue;
    if (tools.has(name)) {
      losses('#', `another tool is called ${name}, too`);
      continue;
    }
    const description = tool.description ?? tool.title ?? tool.annotations?.title;
    tools.set(name, { name, offered: one.name, schema, ...description !== undefined && { description } });
  }
  return { tools: [...tools.values()], lost, offeredName: (name) => tools.get(name)?.offered };
}

/** A name that does not fit gets a hash of the whole name, so that it follows from the name and means one tool. */
function modelName(name: string): string {
  if (fits.test(name)) return name;
  const hash = createHash('sha256').update(name).digest('hex').slice(0, 16);
  return `${name.slice(0, 47).replace(/[^A-Za-z0-9-]/g, '_')}_${hash}`;
}
