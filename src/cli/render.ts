import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { visible } from '../explain/safe-text.ts';
import { isObject } from '../jsonrpc/codec.ts';
import type { ContentBlock } from '../protocol/content.ts';
import type { CallToolResult } from '../protocol/tools.ts';
import { table } from './terminal.ts';
import type { Style } from '../host/node/style.ts';

export interface RenderOptions {
  readonly style: Style;
  readonly columns: number;
  /** A folder to save images, audio and blobs in; undefined: their size is shown. */
  readonly save: string | undefined;
}

/** Text of several lines, each made visible; tabs stay. */
export function textLines(text: string): string[] {
  return text.split(/\r?\n/).map((line) => line.split('\t').map(visible).join('\t'));
}

let saved = 0;

/** One block of content, as lines for a person. */
export function renderBlock(block: ContentBlock, { style, save }: RenderOptions): string[] {
  switch (block.type) {
    case 'text': return textLines(block.text);
    case 'image':
    case 'audio': return [binary(block.type, block.mimeType, block.data, save, style)];
    case 'resource_link': return [`${style.bold(visible(block.title ?? block.name))}  ${visible(block.uri)}`];
    case 'resource': {
      const { resource } = block;
      return [
        style.dim(visible(resource.uri)),
        ...'text' in resource ? textLines(resource.text) : [binary('blob', resource.mimeType ?? '', resource.blob, save, style)],
      ];
    }
    default: return [visible(JSON.stringify(block))];
  }
}

/** The result of a tool, as lines for a person. The text of a structured result says the same again, and is left out. */
export function renderResult({ content, structuredContent }: CallToolResult, options: RenderOptions): string[] {
  const blocks = structuredContent === undefined ? content : content.filter(({ type }) => type !== 'text');
  const lines = blocks.flatMap((block) => renderBlock(block, options));
  return structuredContent === undefined ? lines : [...lines, ...renderStructured(structuredContent, options)];
}

const endings: Readonly<Record<string, string>> = {
  'image/png': 'png', 'image/jpeg': 'jpg', 'image/gif': 'gif', 'image/webp': 'webp', 'image/svg+xml': 'svg',
  'audio/wav': 'wav', 'audio/mpeg': 'mp3', 'audio/ogg': 'ogg', 'application/pdf': 'pdf', 'application/json': 'json',
};

/** Names are ours, never the server's. */
export function binary(kind: string, mimeType: string, base64: string, save: string | undefined, style: Style): string {
  const bytes = Buffer.from(base64, 'base64');
  const what = `${kind} ${visible(mimeType)}, ${bytes.length.toLocaleString('en')} bytes`;
  if (save === undefined) return style.dim(`[${what}; --save FOLDER keeps it]`);
  mkdirSync(save, { recursive: true });
  const file = join(save, `${kind}-${++saved}.${endings[mimeType] ?? 'bin'}`);
  writeFileSync(file, bytes);
  return `${style.dim(`[${what}]`)} ${file}`;
}

/** Structured content: a list of objects, or an object, as a table; else JSON. */
export function renderStructured(value: unknown, { style, columns }: RenderOptions): string[] {
  const list = Array.isArray(value) ? value : isObject(value) && Object.keys(value).length === 1 ? Object.values(value)[0] : undefined;
  if (Array.isArray(list) && list.length > 0 && list.every(isObject)) {
    const heads = [...new Set(list.flatMap((item: Record<string, unknown>) => Object.keys(item)))].slice(0, 12);
    const rows = list.slice(0, 1_000).map((item: Record<string, unknown>) => heads.map((head) => cell(item[head])));
    return table(heads.map(visible), rows, { columns, head: style.bold });
  }
  if (isObject(value) && Object.values(value).every((one) => typeof one !== 'object' || one === null)) {
    return table(['name', 'value'], Object.entries(value).map(([name, one]) => [visible(name), cell(one)]), { columns, head: style.bold });
  }
  return JSON.stringify(value, null, 2).split('\n').map(visible);
}

const cell = (value: unknown): string =>
  value === undefined ? '' : visible(typeof value === 'string' ? value : JSON.stringify(value));
