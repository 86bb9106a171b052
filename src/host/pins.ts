import type { Prompt } from '../protocol/prompts.ts';
import type { Resource, ResourceTemplate } from '../protocol/resources.ts';
import type { Tool } from '../protocol/tools.ts';
import { canonicalJson, digestOf } from './digest.ts';

/** A tool as it was when it was accepted. */
export interface Pin {
  readonly digest: string;
  readonly tool: Tool;
}

/** What is kept of a server between runs: enough for a catalogue and a search without starting it. */
export interface PinnedServer {
  /** By the tool's own name. */
  readonly tools: Readonly<Record<string, Pin>>;
  readonly prompts: readonly Prompt[];
  readonly resources: readonly Resource[];
  readonly templates: readonly ResourceTemplate[];
  /** When the server was last listed: milliseconds since the epoch. */
  readonly listedAt: number;
}

/** How a tool differs from what was accepted. */
export interface PinChange {
  readonly kind: 'changed' | 'renamed' | 'new' | 'gone';
  readonly server: string;
  readonly name: string;
  /** With `renamed`: the name that it had. */
  readonly formerly?: string;
  readonly before?: Tool;
  readonly after?: Tool;
  /** Members of the definition that differ, as lines for a person: `- old`, `+ new`. */
  readonly diff: readonly string[];
  /** The digest of `after`. */
  readonly digest?: string;
}

/** The digest of a tool's definition: all that the server says of it. */
export function toolDigest(tool: Tool): Promise<string> {
  return digestOf(tool);
}

/**
 * Compares what a server lists now with what was accepted. A tool that is gone while a new one has the same definition
 * under another name was renamed.
 */
export async function comparePins(server: string, pins: Readonly<Record<string, Pin>>, listed: readonly Tool[]): Promise<PinChange[]> {
  const changes: PinChange[] = [];
  const now = new Map<string, { tool: Tool; digest: string; body: string }>();
  // One after the other: a list of thousands must not queue thousands of digests.
  for (const tool of listed) now.set(tool.name, { tool, digest: await toolDigest(tool), body: bodyOf(tool) });
  const gone = Object.keys(pins).filter((name) => !now.has(name));
  for (const [name, { tool, digest, body }] of now) {
    const pin = Object.hasOwn(pins, name) ? pins[name] : undefined;
    if (pin) {
      if (pin.digest !== digest) {
        changes.push({ kind: 'changed', server, name, before: pin.tool, after: tool, digest, diff: diffTools(pin.tool, tool) });
      }
      continue;
    }
    const at = gone.findIndex((former) => bodyOf((pins[former] as Pin).tool) === body);
    if (at >= 0) {
      const [formerly = ''] = gone.splice(at, 1);
      const before = (pins[formerly] as Pin).tool;
      changes.push({ kind: 'renamed', server, name, formerly, before, after: tool, digest, diff: diffTools(before, tool) });
    } else changes.push({ kind: 'new', server, name, after: tool, digest, diff: [] });
  }
  for (const name of gone) changes.push({ kind: 'gone', server, name, before: (pins[name] as Pin).tool, diff: [] });
  return changes;
}

function bodyOf({ name: _name, ...body }: Tool): string {
  return canonicalJson(body);
}

/** The members that differ, each as one line of canonical JSON before and after. Objects are entered two levels deep. */
export function diffTools(before: Tool, after: Tool): string[] {
  const lines: string[] = [];
  compare('', before, after, 3, lines);
  return lines;
}

function compare(at: string, before: unknown, after: unknown, depth: number, lines: string[]): void {
  const [old, now] = [show(before), show(after)];
  if (old === now) return;
  if (depth > 0 && isRecord(before) && isRecord(after)) {
    for (const name of [...new Set([...Object.keys(before), ...Object.keys(after)])].sort()) {
      compare(at === '' ? name : `${at}.${name}`, before[name], after[name], depth - 1, lines);
    }
    return;
  }
  if (old !== undefined) lines.push(`- ${at}: ${old}`);
  if (now !== undefined) lines.push(`+ ${at}: ${now}`);
}

const show = (value: unknown): string | undefined => (value === undefined ? undefined : canonicalJson(value));

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
