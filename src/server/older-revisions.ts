import { isObject } from '../jsonrpc/message.ts';
import { checkCoreType } from '../protocol/result-type.ts';
import * as revisionTable from '../protocol/revisions.ts';
import type { ContentBlock } from '../protocol/content.ts';
import type { Implementation } from '../protocol/lifecycle.ts';
import type { Revision } from '../protocol/revisions.ts';
import type { CallToolResult, Tool } from '../protocol/tools.ts';

/** These functions adapt an object to the peer's revision: they remove or convert the parts that it does not define. */

/** Adapts names, titles and icons, which entries of lists and implementations share. `gone`: other members to remove. */
export function adaptListed<T extends object>(item: T, revision: Revision, gone: string[] = []): T {
  if (!revisionTable.titles(revision)) gone.push('title', '_meta');
  if (!revisionTable.icons(revision)) gone.push('icons');
  return without(item, gone);
}

export function adaptTool(tool: Tool, revision: Revision): Tool {
  const gone: string[] = [];
  if (!revisionTable.toolAnnotations(revision)) gone.push('annotations');
  if (!revisionTable.coreTasks(revision)) gone.push('execution');
  const structuredContent = revisionTable.structuredContent(revision);
  // Up to 2025-11-25 an output schema describes an object.
  if (!structuredContent || (structuredContent === 'object' && tool.outputSchema?.['type'] !== 'object')) {
    gone.push('outputSchema');
  }
  return adaptListed(tool, revision, gone);
}

export function adaptImplementation(info: Implementation, revision: Revision): Implementation {
  return adaptListed(info, revision, revisionTable.icons(revision) ? [] : ['description', 'websiteUrl']);
}

export function adaptContent(block: ContentBlock, revision: Revision): ContentBlock {
  if (block.type === 'resource_link' && !revisionTable.resourceLinks(revision)) {
    return { type: 'text', text: `${block.title ?? block.name}: ${block.uri}` };
  }
  if (block.type === 'audio' && !revisionTable.audio(revision)) {
    return { type: 'text', text: `[audio, ${block.mimeType}, not supported by this client]` };
  }
  return revisionTable.titles(revision) ? block : without(block, ['_meta']);
}

export function adaptToolResult(result: CallToolResult, revision: Revision): CallToolResult {
  const allowed = revisionTable.structuredContent(revision);
  if (allowed === 'any') {
    if (result['resultType'] !== undefined) checkCoreType(result['resultType']);
    return result;
  }
  // Remove `resultType`, too: revisions before 2026-07-28 have none.
  const { structuredContent, resultType, ...rest } = result;
  const kept = allowed && isObject(structuredContent);
  const content = revisionTable.resourceLinks(revision) && revisionTable.audio(revision)
    ? rest.content
    : rest.content.map((block) => adaptContent(block, revision));
  return kept ? { ...rest, content, structuredContent } : { ...rest, content };
}

function without<T extends object>(item: T, keys: readonly string[]): T {
  if (!keys.some((key) => key in item)) return item;
  return Object.fromEntries(Object.entries(item).filter(([key]) => !keys.includes(key))) as T;
}
