import { visible } from '../explain/safe-text.ts';
import type { CallToolResult, ContentBlock, GetPromptResult, ReadResourceResult } from '../protocol/index.ts';
import { described, saved } from './render.ts';

// Results for a pipe or a file. A program reads them, so nothing is escaped, cut, wrapped or coloured.

/** A result for a pipe. */
export interface Piped {
  /** The texts for stdout, in order and unchanged. */
  readonly out: readonly (string | Uint8Array)[];
  /** Lines for stderr about content that is not on stdout. */
  readonly notes: readonly string[];
}

/**
 * Every text block with a newline; if there is no text block, structured content as one line of JSON. `save`: the folder
 * for images, audio and blobs, whose file names are printed; without it, a note on stderr says that they were left out.
 */
export function pipedResult({ content, structuredContent }: CallToolResult, save: string | undefined): Piped {
  const piped = pipedBlocks(content, save);
  const json = structuredContent !== undefined && !content.some(({ type }) => type === 'text');
  return json ? { ...piped, out: [...piped.out, `${JSON.stringify(structuredContent)}\n`] } : piped;
}

/** The messages of a prompt, formatted like results. If there are several, each is preceded by its role. */
export function pipedPrompt({ messages, description }: GetPromptResult, save: string | undefined): Piped {
  const parts = messages.map(({ role, content }) => ({ role, ...pipedBlocks([content], save) }));
  return {
    out: parts.flatMap(({ role, out }) => [...messages.length > 1 ? [`${role}:\n`] : [], ...out]),
    notes: [...description ? [visible(description)] : [], ...parts.flatMap(({ notes }) => notes)],
  };
}

/** The texts of a resource, each with a newline. A single blob without `save` becomes its bytes. */
export function pipedContents({ contents }: ReadResourceResult, save: string | undefined): Piped {
  const [only] = contents;
  if (only && contents.length === 1 && 'blob' in only && save === undefined) return { out: [Buffer.from(only.blob, 'base64')], notes: [] };
  return pipedBlocks(contents.map((resource) => ({ type: 'resource', resource })), save);
}

function pipedBlocks(blocks: readonly ContentBlock[], save: string | undefined): Piped {
  const out: string[] = [];
  const notes: string[] = [];
  const keep = (kind: string, mimeType: string, base64: string): void => {
    if (save === undefined) notes.push(`left out: ${described(kind, mimeType, base64)}; --save FOLDER keeps it`);
    else out.push(`${saved(kind, mimeType, base64, save)}\n`);
  };
  for (const block of blocks) {
    if (block.type === 'text') out.push(`${block.text}\n`);
    else if (block.type === 'image' || block.type === 'audio') keep(block.type, block.mimeType, block.data);
    else if (block.type === 'resource_link') out.push(`${block.uri}\n`);
    else if (block.type !== 'resource') out.push(`${JSON.stringify(block)}\n`);
    else if ('text' in block.resource) out.push(`${block.resource.text}\n`);
    else keep('blob', block.resource.mimeType ?? '', block.resource.blob);
  }
  return { out, notes };
}
