import { isObject } from '../jsonrpc/internal-exports.ts';
import { truncate, visible } from './safe-text.ts';

// Puts values from the wire into words. All of them come from a peer: no value is assumed to have the right type, and all words are
// short and safe to print.

/** An object of unknown members. */
export type MessageMembers = Readonly<Record<string, unknown>>;

/** The value if it is an object, or else an object without members. */
export function bag(value: unknown): MessageMembers {
  return isObject(value) ? value : {};
}

/** The value if it is an array, or else an empty one. */
export function items(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A name or a number from the wire, safe and short. */
export function name(value: unknown, columns = 60): string {
  if (typeof value === 'string') return value === '' ? '""' : truncate(visible(value.slice(0, 400)), columns);
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return value === undefined ? '(none)' : '(not a name)';
}

/** A text from the wire, safe, short and in quotes. */
export function quote(value: unknown, columns = 60): string {
  return typeof value === 'string'
    ? `"${truncate(visible(value.slice(0, 400)), columns)}"`
    : json(value, columns);
}

export function json(value: unknown, columns: number): string {
  if (value === undefined) return '(none)';
  // A list or an object is shown by its size: writing it out could cost more than it can show.
  if (Array.isArray(value)) return value.length === 0 ? '[]' : `[${value.length}]`;
  if (typeof value === 'object' && value !== null)
    return keys(value) === '' ? '{}' : `{${keys(value, columns)}}`;
  return typeof value === 'string' ? quote(value, columns) : String(value);
}

export function keys(value: unknown, columns = 60): string {
  return truncate(some(Object.keys(bag(value)).slice(0, 20)), columns);
}

/** Names in a row, at most six of them, and how many more there are. */
export function some(values: readonly unknown[]): string {
  const shown = values
    .slice(0, 6)
    .map((value) => name(value, 40))
    .join(', ');
  return values.length > 6 ? `${shown} and ${values.length - 6} more` : shown;
}

/** The words, if there is a value. */
export function when(value: unknown, words: string): string {
  return value === undefined || value === '' ? '' : words;
}

/** `1 tool`, `3 tools`, `no tools`. */
export function count(n: number, noun: string): string {
  return `${n || 'no'} ${noun}${n === 1 ? '' : 's'}`;
}

export function pairs(value: unknown): string {
  const all = Object.entries(bag(value));
  if (all.length === 0) return '';
  const shown = all
    .slice(0, 6)
    .map(([key, v]) => `${name(key, 30)}: ${json(v, 30)}`)
    .join(', ');
  return ` (${truncate(shown, 90)}${all.length > 6 ? ', …' : ''})`;
}

/** The capabilities of a side: `tools (listChanged), prompts`. */
export function capabilities(value: unknown): string {
  const all = Object.entries(bag(value)).map(([key, settings]) => {
    const set = Object.entries(bag(settings))
      .filter(([, on]) => on !== false)
      .map(([flag]) => flag);
    return name(key, 40) + (set.length ? ` (${some(set)})` : '');
  });
  return all.slice(0, 12).join(', ') || 'nothing in particular';
}

export function who(value: unknown): string {
  const { name: called, title, version } = bag(value);
  return `${name(title ?? called, 40)} ${version === undefined ? '' : name(version, 20)}`.trim();
}

export function size(base64: unknown): string {
  const bytes = typeof base64 === 'string' ? Math.floor((base64.length * 3) / 4) : 0;
  return bytes < 1024 ? `${bytes} bytes` : `${Math.round(bytes / 1024)} KiB`;
}

export function block(value: unknown): string {
  const { type, text, data, mimeType, uri, resource, name: called } = bag(value);
  if (type === 'text') return quote(text);
  if (type === 'image' || type === 'audio') return `${type} (${name(mimeType, 30)}, ${size(data)})`;
  if (type === 'resource_link') return `a link to ${name(uri)}`;
  if (type === 'resource') return `the resource ${name(bag(resource).uri)}`;
  if (type === 'tool_use') return `a call of the tool ${name(called)}`;
  if (type === 'tool_result') return 'the result of a tool';
  return `content of type ${name(type)}`;
}

export function blocks(value: unknown): string {
  const all = Array.isArray(value) ? value : value === undefined ? [] : [value];
  const shown = all.slice(0, 2).map(block).join(', ') || 'nothing';
  return all.length > 2 ? `${shown} and ${all.length - 2} more` : shown;
}
