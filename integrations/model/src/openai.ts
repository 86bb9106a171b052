/**
 * `barewire-model/openai`: tools and results for OpenAI's Responses.
 *
 * @module
 */
import type { FunctionTool, ResponseFunctionCallOutputItem, ResponseInputItem } from 'openai/resources/responses/responses';
import { prepare } from './offered.ts';
import type { Lost, OfferedTool } from './offered.ts';
import { failed, partsOf } from './parts.ts';
import type { Outcome, Part } from './parts.ts';

export type { Lost, OfferedTool, Outcome };

/** The result of `toolsFor`. */
export interface ToolsForOpenAI {
  /** The `tools` of a request. `strict` is false: if it is missing, the API assumes true and refuses most schemas. */
  readonly tools: FunctionTool[];
  /** The parts that the model does not get. */
  readonly lost: readonly Lost[];
  /** The offered name for a `function_call`'s `name`; undefined: no such tool was offered. */
  readonly offeredName: (name: string) => string | undefined;
}

/** Converts server tools to the `tools` of a request. */
export function toolsFor(offered: Iterable<OfferedTool>): ToolsForOpenAI {
  const { tools, lost, offeredName } = prepare(offered);
  return {
    tools: tools.map(({ name, description, schema }) => ({
      type: 'function', name, ...description !== undefined && { description }, parameters: schema, strict: false,
    })),
    lost,
    offeredName,
  };
}

/**
 * Converts the outcome of a call to the item that answers the `function_call` with this `call_id`. A failure is marked in its
 * text.
 */
export function resultFor(callId: string, outcome: Outcome): ResponseInputItem.FunctionCallOutput {
  const items = partsOf(outcome).map(itemOf);
  if (failed(outcome)) items.unshift({ type: 'input_text', text: 'The call failed:' });
  return { type: 'function_call_output', call_id: callId, output: items };
}

function itemOf(part: Part): ResponseFunctionCallOutputItem {
  switch (part.type) {
    case 'text': return { type: 'input_text', text: part.text };
    case 'image': return { type: 'input_image', image_url: `data:${part.mimeType};base64,${part.data}` };
    case 'pdf': return { type: 'input_file', filename: part.filename, file_data: `data:application/pdf;base64,${part.data}` };
  }
}
