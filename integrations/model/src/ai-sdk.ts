/**
 * `barewire-model/ai-sdk`: tools of servers as a `ToolSet` of the AI SDK, version 6.
 *
 * @module
 */
import { dynamicTool, jsonSchema } from 'ai';
import type { ToolSet } from 'ai';
import type { CallToolResult } from 'barewire/protocol';
import { prepare } from './offered.ts';
import type { Lost, OfferedTool } from './offered.ts';
import { failed, partsOf } from './parts.ts';
import type { Outcome, Part } from './parts.ts';

export type { Lost, OfferedTool, Outcome };

/** Calls a tool by its offered name: `host.call`, or `client.callTool`. */
export type Call = (name: string, args: Record<string, unknown>, options: { readonly signal?: AbortSignal }) => Promise<CallToolResult>;

/** The result of `toolsFor`. */
export interface ToolsForAiSdk {
  /** For `generateText`, `streamText` or an agent; also for `convertToModelMessages`. */
  readonly tools: ToolSet;
  /** The parts that the model does not get. */
  readonly lost: readonly Lost[];
}

/** The AI SDK's output for the model. */
export type ModelOutput = Awaited<ReturnType<NonNullable<ToolSet[string]['toModelOutput']>>>;

/**
 * Wraps server tools for the AI SDK, which calls them through `call`. A rejected call fails the tool, and the model reads the
 * message.
 */
export function toolsFor(offered: Iterable<OfferedTool>, call: Call): ToolsForAiSdk {
  const { tools, lost } = prepare(offered);
  return {
    tools: Object.fromEntries(tools.map(({ name, offered, description, schema }) => [name, dynamicTool({
      ...description !== undefined && { description },
      inputSchema: jsonSchema(schema),
      execute: async (args, { abortSignal }) =>
        await call(offered, args as Record<string, unknown>, { ...abortSignal && { signal: abortSignal } }),
      toModelOutput: ({ output }) => resultFor(output as CallToolResult),
    })])),
    lost,
  };
}

/** Converts the outcome of a call to the model's format. */
export function resultFor(outcome: Outcome): ModelOutput {
  const parts = partsOf(outcome);
  if (failed(outcome)) return { type: 'error-text', value: parts.map((part) => (part.type === 'text' ? part.text : `[${part.type}]`)).join('\n') };
  return { type: 'content', value: parts.map(partOf) };
}

function partOf(part: Part): Extract<ModelOutput, { type: 'content' }>['value'][number] {
  switch (part.type) {
    case 'text': return { type: 'text', text: part.text };
    case 'image': return { type: 'image-data', data: part.data, mediaType: part.mimeType };
    case 'pdf': return { type: 'file-data', data: part.data, mediaType: 'application/pdf', filename: part.filename };
  }
}
