import { visible } from '../explain/safe-text.ts';
import type { CallToolResult, ContentBlock, GetPromptResult, ReadResourceResult } from '../protocol/index.ts';
import { described, saved } from './render.ts';

// What a pipe or a file gets of a result. Whoever reads it is a program: nothing is escaped, cut, wrapped or painted.

/** A result for a pipe. */
export interface Piped {
  /** The texts that go to stdout unchanged, one after the other. */
  readonly out: readonly (string | Uint8Array)[];
  /** Lines for stderr: what stdout does not hold. */
  readonly notes: readonly string[];
}

/**
 * Every text block, each ended by a newline; structured content as one line of JSON where no block is text. `save`: the
 * folder for images, audio and blobs, whose files are named; without it stderr says that they were left out.
 */
export function pipedResult({ content, structuredContent }: CallToolResult, save: string | undefined): Piped {
  const piped = pipedBlocks(content, save);
  const json = structuredContent !== undefined && !content.some(({ type }) => type === 'text');
  return json ? { ...piped, out: [...piped.out, `${JSON.stringify(structuredContent)}\n`] } : piped;
}

/** Likewise for the messages of a prompt. Who says each is told where there are several. */
export function pipedPrompt({ messages, description }: GetPromptResult, save: string | undefined): Piped {
  const parts = messages.map(({ role, content }) => ({ role, ...pipedBlocks([content], save) }));
  return {
    out: parts.flatMap(({ role, out }) => [...messages.length > 1 ? [`${role}:\n`] : [], ...out]),
    notes: [...description ? [visible(description)] : [], ...parts.flatMap(({ notes }) => notes)],
  };
}

/** Texts of a resource, each ended by a newline. The bytes of a blob where it is all that there is and `save` is not given. */
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
