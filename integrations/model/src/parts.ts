import type { CallToolResult, ContentBlock } from 'barewire/protocol';

/** A part of a result in a form that every API has. */
export type Part =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly mimeType: ImageType; readonly data: string }
  | { readonly type: 'pdf'; readonly data: string; readonly filename: string };

/** The image types that models accept. */
export type ImageType = 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';
const imageTypes: readonly string[] = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] satisfies ImageType[];
const isImage = (mimeType: string | undefined): mimeType is ImageType => mimeType !== undefined && imageTypes.includes(mimeType);

/** The outcome of a call: the tool's result, or the error of a rejected call (no consent, no connection, a protocol error). */
export type Outcome = CallToolResult | Error;

/** True if the model must be told that the call failed. */
export const failed = (outcome: Outcome): boolean => outcome instanceof Error || outcome.isError === true;

/**
 * Converts an outcome to parts. Content that models do not accept (audio, other images and files) becomes a sentence that names
 * it. A link is named and never fetched. Structured content becomes JSON if the tool gave no text.
 */
export function partsOf(outcome: Outcome): Part[] {
  if (outcome instanceof Error) return [text(outcome.message)];
  const parts = outcome.content.map(partOf);
  const { structuredContent } = outcome;
  if (structuredContent !== undefined && !outcome.content.some(({ type }) => type === 'text')) parts.unshift(text(JSON.stringify(structuredContent)));
  return parts.length > 0 ? parts : [text('(no content)')];
}

const text = (text: string): Part => ({ type: 'text', text });

/** The server's words, quoted so that they cannot end the sentence around them. */
const quoted = (words: string): string => JSON.stringify(words.length > 500 ? `${words.slice(0, 500)}…` : words);

const bytesOf = (base64: string): string => {
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0;
  return `${Math.floor((base64.length - padding) * 3 / 4)} bytes`;
};

function partOf(block: ContentBlock): Part {
  switch (block.type) {
    case 'text': return text(block.text);
    case 'image':
      return isImage(block.mimeType) ? { type: 'image', mimeType: block.mimeType, data: block.data }
        : text(`[an image of type ${quoted(block.mimeType)}, ${bytesOf(block.data)}: it cannot be shown here]`);
    case 'audio': return text(`[audio of type ${quoted(block.mimeType)}, ${bytesOf(block.data)}: it cannot be played here]`);
    case 'resource_link': {
      const { name, uri, mimeType, size, description } = block;
      const more = [mimeType && `type ${quoted(mimeType)}`, size !== undefined && `${size} bytes`, description && quoted(description)].filter(Boolean);
      return text(`[a link to ${quoted(name)} at ${[quoted(uri), ...more].join(', ')}: it was not read]`);
    }
    case 'resource': {
      const { resource } = block;
      if ('text' in resource) return text(`[the resource ${quoted(resource.uri)}]\n${resource.text}`);
      if (isImage(resource.mimeType)) return { type: 'image', mimeType: resource.mimeType, data: resource.blob };
      if (resource.mimeType === 'application/pdf') return { type: 'pdf', data: resource.blob, filename: filename(resource.uri) };
      return text(`[the resource ${quoted(resource.uri)} of type ${quoted(resource.mimeType ?? 'unknown')}, ${bytesOf(resource.blob)}: it cannot be shown here]`);
    }
    default: return text(`[content of the unknown type ${quoted(String((block as { type: unknown }).type))}]`);
  }
}

/** The last segment of a URI's path, for an API that needs a name. */
function filename(uri: string): string {
  const name = uri.slice(0, 2_000).split(/[?#]/, 1)[0]?.split('/').at(-1)?.slice(-100) ?? '';
  return /^[\w.-]+\.pdf$/i.test(name) ? name : 'document.pdf';
}
