import { createHash } from 'node:crypto';
import type { Tool } from 'barewire/protocol';
import { schemaFor } from './input-schema.ts';
import type { InputSchema } from './input-schema.ts';

/** A tool from `client.listTools()`, or with the name that a `Host` gives it (`host.tools()`). */
export type OfferedTool = Tool | { readonly name: string; readonly tool: Tool };

/** A part of a tool that the model's API does not accept, so that the model does not get it. */
export interface Lost {
  /** The offered name of the tool. */
  readonly tool: string;
  /** A JSON Pointer into the input schema; `#` means that the whole tool is left out. */
  readonly path: string;
  readonly why: string;
}

/** A tool prepared for all APIs. */
interface PreparedTool {
  readonly name: string;
  readonly offered: string;
  readonly description?: string;
  readonly schema: InputSchema;
}

/** All prepared tools. */
interface Prepared {
  readonly tools: readonly PreparedTool[];
  readonly lost: readonly Lost[];
  /** The offered name for a tool named by the model; undefined if no such tool was offered. */
  readonly offeredName: (name: string) => string | undefined;
}

/** Names that all APIs accept. Anthropic's longer limit is not used, so that a name means the same tool everywhere. */
const fits = /^[A-Za-z0-9_-]{1,64}$/;

/** Gives each tool a name and a schema that model APIs accept. Keeps the order; of two tools with one name it keeps the first. */
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

/**
 * The name for the model. A name that does not fit gets a hash of the whole name, so that the result is deterministic and unique.
 */
function modelName(name: string): string {
  if (fits.test(name)) return name;
  const hash = createHash('sha256').update(name).digest('hex').slice(0, 16);
  return `${name.slice(0, 47).replace(/[^A-Za-z0-9-]/g, '_')}_${hash}`;
}
