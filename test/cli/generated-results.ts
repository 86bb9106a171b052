import type { ContentBlock } from '../../src/protocol/content.ts';
import type { CallToolResult } from '../../src/protocol/tools.ts';
import { drawn, randomOf } from '../random.ts';

// Texts that tools for people cut, escape or wrap: control characters, line ends, wide and joined characters, lines of megabytes, empty
// texts.
const pieces = ['a', 'word ', '\n', '\r\n', '\t', '\u001b[31m', '\u0000', '\u007f', '\u202e', 'ü', '日本', '👩\u200d💻', '\ufeff', '"', '\\', '  ', '│ ', '\u2028'];

/** The result of this number, equal in every process. */
export function resultOf(number: number): CallToolResult {
  const random = randomOf(number);
  const below = (most: number): number => Math.floor(random() * most);
  const short = (most: number): string => Array.from({ length: below(most) }, () => pieces[below(pieces.length)]).join('');
  const text = (): string => (below(12) === 0 ? short(60) + 'long '.repeat(below(40_000)) : short(60));
  const block = (): ContentBlock => drawn<() => ContentBlock>(random, [
    [6, () => ({ type: 'text', text: text() })],
    [1, () => ({ type: 'image', mimeType: 'image/png', data: Buffer.from(text()).toString('base64') })],
    [1, () => ({ type: 'resource_link', uri: `test://${below(9)}`, name: text() })],
    [1, () => ({ type: 'resource', resource: { uri: 'test://r', text: text() } })],
  ])?.() ?? assertNever();
  const structured = below(3) === 0
    ? { rows: Array.from({ length: below(below(8) === 0 ? 1_500 : 100) }, (_, at) => Object.fromEntries(Array.from({ length: 15 }, (_, column) => [`c${column}`, `${at} ${short(4)}`]))) }
    : undefined;
  return { content: Array.from({ length: below(5) }, block), ...structured && { structuredContent: structured } };
}

function assertNever(): never {
  throw new Error('nothing was drawn');
}

/** The expected output of a pipe for it, written independently of the tested code. */
export function bytesOf({ content, structuredContent }: CallToolResult): string {
  let bytes = '';
  for (const block of content) {
    if (block.type === 'text') bytes += block.text + '\n';
    if (block.type === 'resource_link') bytes += block.uri + '\n';
    if (block.type === 'resource' && 'text' in block.resource) bytes += block.resource.text + '\n';
  }
  const text = content.some(({ type }) => type === 'text');
  return structuredContent !== undefined && !text ? `${bytes}${JSON.stringify(structuredContent)}\n` : bytes;
}
