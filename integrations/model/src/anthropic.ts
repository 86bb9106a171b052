/**
 * `barewire-model/anthropic`: tools and results for Anthropic's Messages.
 *
 * @module
 */
import type { ImageBlockParam, DocumentBlockParam, TextBlockParam, Tool, ToolResultBlockParam } from '@anthropic-ai/sdk/resources/messages';
import { prepare } from './offered.ts';
import type { Lost, OfferedTool } from './offered.ts';
import { failed, partsOf } from './parts.ts';
import type { Outcome, Part } from './parts.ts';

export type { Lost, OfferedTool, Outcome };

/** The result of `toolsFor`. */
export interface ToolsForAnthropic {
  /** The `tools` of a request. None is `strict`. */
  readonly tools: Tool[];
  /** The parts that the model does not get. */
  readonly lost: readonly Lost[];
  /** The offered name for a `tool_use` block's `name`; undefined: no such tool was offered. */
  readonly offeredName: (name: string) => string | undefined;
}

/** Converts server tools to the `tools` of a request. */
export function toolsFor(offered: Iterable<OfferedTool>): ToolsForAnthropic {
  const { tools, lost, offeredName } = prepare(offered);
  return {
    tools: tools.map(({ name, description, schema }) => ({ name, ...description !== undefined && { description }, input_schema: schema })),
    lost,
    offeredName,
  };
}

/** Converts the outcome of a call to the block that answers the `tool_use` block with this id. */
export function resultFor(toolUseId: string, outcome: Outcome): ToolResultBlockParam {
  return {
    type: 'tool_result',
    tool_use_id: toolUseId,
    // The API refuses an empty text block.
    content: partsOf(outcome).filter((part) => part.type !== 'text' || part.text !== '').map(blockOf),
    ...failed(outcome) && { is_error: true },
  };
}

function blockOf(part: Part): TextBlockParam | ImageBlockParam | DocumentBlockParam {
  switch (part.type) {
    case 'text': return { type: 'text', text: part.text };
    case 'image': return { type: 'image', source: { type: 'base64', media_type: part.mimeType, data: part.data } };
    case 'pdf': return { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: part.data } };
  }
}
