import type { ContentBlock } from '../protocol/content.ts';
import type { Implementation } from '../protocol/initialize.ts';
import type { Revision } from '../protocol/revisions.ts';
import type { CallToolResult, Tool } from '../protocol/tools.ts';

/** What a peer of a revision is sent: exactly what its revision defines, never more. */

/** Names, titles, icons: what lists and implementations share. */
export function adaptListed<T extends object>(item: T, revision: Revision): T {
  const gone: string[] = [];
  if (!revision.titles) gone.push('title', '_meta');
  if (!revision.icons) gone.push('icons');
  return without(item, gone);
}

export function adaptTool(tool: Tool, revision: Revision): Tool {
  const gone: string[] = [];
  if (!revision.toolAnnotations) gone.push('annotations');
  if (!revision.coreTasks) gone.push('execution');
  const { structuredContent } = revision;
  // Until 2025-11-25 an output schema describes an object.
  if (!structuredContent || (structuredContent === 'object' && tool.outputSchema?.['type'] !== 'object')) {
    gone.push('outputSchema');
  }
  return without(adaptListed(tool, revision), gone);
}

export function adaptImplementation(info: Implementation, revision: Revision): Implementation {
  return without(adaptListed(info, revision), revision.icons ? [] : ['description', 'websiteUrl']);
}

export function adaptContent(block: ContentBlock, revision: Revision): ContentBlock {
  if (block.type === 'resource_link' && !revision.resourceLinks) {
    return { type: 'text', text: `${block.title ?? block.name}: ${block.uri}` };
  }
  if (block.type === 'audio' && !revision.audio) {
    return { type: 'text', text: `[audio, ${block.mimeType}, which this client cannot be sent]` };
  }
  return revision.titles ? block : without(block, ['_meta']);
}

export function adaptToolResult(result: CallToolResult, revision: Revision): CallToolResult {
  if (revision.structuredContent === 'any') return result;
  // `resultType` goes, too: revisions before 2026-07-28 have none.
  const { structuredContent, resultType, ...rest } = result;
  const kept = revision.structuredContent === 'object' && typeof structuredContent === 'object'
    && structuredContent !== null && !Array.isArray(structuredContent);
  const content = revision.resourceLinks && revision.audio
    ? rest.content
    : rest.content.map((block) => adaptContent(block, revision));
  return kept ? { ...rest, content, structuredContent } : { ...rest, content };
}

function without<T extends object>(item: T, keys: readonly string[]): T {
  if (!keys.some((key) => key in item)) return item;
  return Object.fromEntries(Object.entries(item).filter(([key]) => !keys.includes(key))) as T;
}
