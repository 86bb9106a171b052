import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { visible } from '../explain/safe-text.ts';
import { isObject } from '../jsonrpc/internal-exports.ts';
import type { CallToolResult, ContentBlock, GetPromptResult, ReadResourceResult } from '../protocol/index.ts';
import { table } from './terminal.ts';
import type { Style } from '../host/node/style.ts';

export interface RenderOptions {
  readonly style: Style;
  readonly columns: number;
  /** The folder for images, audio and blobs; undefined: only their size is shown. */
  readonly save: string | undefined;
}

/** The lines of a text, each made visible; tabs stay. */
export function textLines(text: string): string[] {
  return text.split(/\r?\n/).map((line) => line.split('\t').map(visible).join('\t'));
}

/** One content block as lines for a person. */
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

/**
 * A tool result as lines for a person: its blocks, and structured content if there is no text. A text that only repeats
 * the structured content as JSON is replaced by it, as a table if possible.
 */
export function renderResult({ content, structuredContent }: CallToolResult, options: RenderOptions): string[] {
  if (structuredContent === undefined) return content.flatMap((block) => renderBlock(block, options));
  const texts = content.filter((block) => block.type === 'text');
  const same = texts.length === 1 && texts[0] !== undefined && isJsonOf(texts[0].text, structuredContent);
  const lines = content.filter(({ type }) => !same || type !== 'text').flatMap((block) => renderBlock(block, options));
  if (texts.length === 0 || same) return [...lines, ...renderStructured(structuredContent, options)];
  return [...lines, options.style.dim('The result also has structured content: --json shows it.')];
}

function isJsonOf(text: string, value: unknown): boolean {
  try {
    return isDeepStrictEqual(JSON.parse(text), value);
  } catch {
    return false;
  }
}

/** The texts of a resource as lines for a person; for a blob, its size. */
export function renderContents({ contents }: ReadResourceResult, { style, save }: RenderOptions): string[] {
  return contents.flatMap((one) => [
    ...contents.length > 1 ? [style.dim(visible(one.uri))] : [],
    ...'text' in one ? textLines(one.text) : [binary('blob', one.mimeType ?? '', one.blob, save, style)],
  ]);
}

/** The messages of a prompt as lines for a person. */
export function renderPrompt({ messages, description }: GetPromptResult, options: RenderOptions): string[] {
  const { bold, dim } = options.style;
  return [
    ...description ? [dim(visible(description))] : [],
    ...messages.flatMap(({ role, content }) => [bold(`${visible(role)}:`), ...renderBlock(content, options).map((line) => `  ${line}`)]),
  ];
}

const endings: Readonly<Record<string, string>> = {
  'image/png': 'png', 'image/jpeg': 'jpg', 'image/gif': 'gif', 'image/webp': 'webp', 'image/svg+xml': 'svg',
  'audio/wav': 'wav', 'audio/mpeg': 'mp3', 'audio/ogg': 'ogg', 'application/pdf': 'pdf', 'application/json': 'json',
};

/** Describes a binary block in words. */
export const described = (kind: string, mimeType: string, base64: string): string =>
  `${kind} ${visible(mimeType)}, ${Buffer.from(base64, 'base64').length.toLocaleString('en')} bytes`;

let files = 0;

/**
 * Writes a binary block into a folder, and returns the path. The file name never comes from the server. It is a new file: a file of that
 * name, or a link that came with the folder, stays as it was, and the next number is taken.
 */
export function saved(kind: string, mimeType: string, base64: string, folder: string): string {
  mkdirSync(folder, { recursive: true });
  const ending = Object.hasOwn(endings, mimeType) ? endings[mimeType] : 'bin';
  const bytes = Buffer.from(base64, 'base64');
  for (;;) {
    const file = join(folder, `${kind}-${++files}.${ending}`);
    try {
      writeFileSync(file, bytes, { flag: 'wx' });
      return file;
    } catch (thrown) {
      if (!isObject(thrown) || thrown['code'] !== 'EEXIST') throw thrown;
    }
  }
}

function binary(kind: string, mimeType: string, base64: string, save: string | undefined, style: Style): string {
  const what = described(kind, mimeType, base64);
  if (save === undefined) return style.dim(`[${what}; --save FOLDER keeps it]`);
  return `${style.dim(`[${what}]`)} ${saved(kind, mimeType, base64, save)}`;
}

/** The most rows of a table; further rows are counted. */
const maxRows = 1_000;
/** The fewest characters for a column of a table. If not all columns fit, the last ones are left out, and their names listed. */
const leastWidth = 6;

/** Structured content: a table for an object or a list of objects, otherwise JSON. Omitted parts are counted. */
export function renderStructured(value: unknown, { style, columns }: RenderOptions): string[] {
  const list = Array.isArray(value) ? value : isObject(value) && Object.keys(value).length === 1 ? Object.values(value)[0] : undefined;
  if (Array.isArray(list) && list.length > 0 && list.every(isObject)) {
    const all = [...new Set(list.flatMap((item: Record<string, unknown>) => Object.keys(item)))];
    const heads = all.slice(0, Math.max(1, Math.floor((columns + 2) / (leastWidth + 2))));
    const rows = list.slice(0, maxRows).map((item: Record<string, unknown>) => heads.map((head) => cell(item[head])));
    const left = [
      ...list.length > maxRows ? [`${(list.length - maxRows).toLocaleString('en')} rows`] : [],
      ...all.length > heads.length ? [`${all.length - heads.length} columns (${all.slice(heads.length, heads.length + 20).map(visible).join(', ')})`] : [],
    ];
    return [
      ...table(heads.map(visible), rows, { columns, head: style.bold, wrap: true }),
      ...left.length > 0 ? [style.yellow(`… ${left.join(' and ')} more were left out; --json, or a pipe, gets all.`)] : [],
    ];
  }
  if (isObject(value) && Object.values(value).every((one) => typeof one !== 'object' || one === null)) {
    return table(['name', 'value'], Object.entries(value).map(([name, one]) => [visible(name), cell(one)]), { columns, head: style.bold, wrap: true });
  }
  return JSON.stringify(value, null, 2).split('\n').map(visible);
}

const cell = (value: unknown): string =>
  value === undefined ? '' : visible(typeof value === 'string' ? value : JSON.stringify(value));
