import type { Prompt, Resource, ResourceTemplate, Tool } from '../protocol/index.ts';
import { head } from '../explain/safe-text.ts';
import { canonicalJson, digestOf } from '../skills/digest.ts';

/** A tool's definition when it was accepted. */
export interface Pin {
  readonly digest: string;
  readonly tool: Tool;
}

/** The facts about a server that are stored between runs: enough for a catalogue and a search without starting it. */
export interface PinnedServer {
  /** By the tool's own name. */
  readonly tools: Readonly<Record<string, Pin>>;
  /** Tools that the server no longer lists, as they were accepted: one that comes back is compared with its pin. */
  readonly gone?: Readonly<Record<string, Pin>>;
  readonly prompts: readonly Prompt[];
  readonly resources: readonly Resource[];
  readonly templates: readonly ResourceTemplate[];
  /** When the server was last listed: milliseconds since the epoch. */
  readonly listedAt: number;
}

/** The difference between a tool and its accepted definition. */
export interface PinChange {
  /** `back`: it was gone, and has returned unchanged. */
  readonly kind: 'changed' | 'renamed' | 'new' | 'gone' | 'back';
  readonly server: string;
  readonly name: string;
  /** With `renamed`: its old name. */
  readonly formerly?: string;
  readonly before?: Tool;
  readonly after?: Tool;
  /**
   * The members of the definition that differ, as lines for a person: `- old`, `+ new`. Long lines are cut and
   * marked.
   */
  readonly diff: readonly string[];
  /** The digest of `after`. */
  readonly digest?: string;
}

/** The digest of a tool's definition, with all its members. */
export function toolDigest(tool: Tool): Promise<string> {
  return digestOf(tool);
}

/**
 * Compares a server's new list with the accepted definitions: `pins`, and `gone` for tools that it had stopped listing. A gone tool counts
 * as renamed if a new one has the same definition under another name.
 */
export async function comparePins(
  server: string, pins: Readonly<Record<string, Pin>>, listed: readonly Tool[], gone: Readonly<Record<string, Pin>> = {},
): Promise<PinChange[]> {
  const now = new Map<string, { readonly tool: Tool; readonly digest: string }>();
  // One after the other, so that a list of thousands does not queue thousands of digests.
  for (const tool of listed) now.set(tool.name, { tool, digest: await toolDigest(tool) });
  const own = (from: Readonly<Record<string, Pin>>, name: string): Pin | undefined => (Object.hasOwn(from, name) ? from[name] : undefined);
  const left = Object.keys(pins).filter((name) => !now.has(name));
  const absent = new NamesByBody();
  for (const name of left) absent.add(name, pins[name] as Pin);
  for (const [name, pin] of Object.entries(gone)) if (!now.has(name)) absent.add(name, pin);
  const renamed = new Set<string>();
  const changes: PinChange[] = [];
  for (const [name, { tool, digest }] of now) {
    const pin = own(pins, name) ?? own(gone, name);
    if (pin) {
      if (pin.digest !== digest) changes.push({ kind: 'changed', server, name, before: pin.tool, after: tool, digest, diff: diffTools(pin.tool, tool) });
      else if (!own(pins, name)) changes.push({ kind: 'back', server, name, after: tool, digest, diff: [] });
      continue;
    }
    const formerly = absent.take(tool);
    if (formerly === undefined) changes.push({ kind: 'new', server, name, after: tool, digest, diff: [] });
    else {
      renamed.add(formerly);
      const before = (own(pins, formerly) ?? own(gone, formerly) as Pin).tool;
      changes.push({ kind: 'renamed', server, name, formerly, before, after: tool, digest, diff: diffTools(before, tool) });
    }
  }
  for (const name of left) if (!renamed.has(name)) changes.push({ kind: 'gone', server, name, before: (pins[name] as Pin).tool, diff: [] });
  return changes;
}

/** Names of tools by their definition without the name; each name is taken once. */
class NamesByBody {
  readonly #names = new Map<string, string[]>();

  add(name: string, { tool }: Pin): void {
    const body = bodyOf(tool);
    const names = this.#names.get(body);
    if (names) names.push(name);
    else this.#names.set(body, [name]);
  }

  take(tool: Tool): string | undefined {
    return this.#names.size === 0 ? undefined : this.#names.get(bodyOf(tool))?.pop();
  }
}

function bodyOf({ name: _name, ...body }: Tool): string {
  return canonicalJson(body);
}

/** The largest number of lines of a difference, and of characters of each value in it. */
const maxLines = 200;
const maxShown = 10_000;

/** The members that differ, each as one line of canonical JSON before and after. A member is named by a path of at most three names. */
export function diffTools(before: Tool, after: Tool): string[] {
  const lines: string[] = [];
  const more = { count: 0 };
  compare('', before, after, 3, lines, more);
  return more.count === 0 ? lines : [...lines, `… ${more.count} lines more`];
}

function compare(at: string, before: unknown, after: unknown, depth: number, lines: string[], more: { count: number }): void {
  const [old, now] = [show(before), show(after)];
  if (old === now) return;
  if (depth > 0 && isRecord(before) && isRecord(after)) {
    for (const name of [...new Set([...Object.keys(before), ...Object.keys(after)])].sort()) {
      const own = (value: Record<string, unknown>): unknown => (Object.hasOwn(value, name) ? value[name] : undefined);
      compare(at === '' ? name : `${at}.${name}`, own(before), own(after), depth - 1, lines, more);
    }
    return;
  }
  const line = (sign: string, value: string): void => {
    if (lines.length >= maxLines) more.count++;
    else lines.push(`${sign} ${head(at, maxShown)}: ${value.length > maxShown ? `${head(value, maxShown)}… (${value.length - maxShown} characters more)` : value}`);
  };
  if (old !== undefined) line('-', old);
  if (now !== undefined) line('+', now);
}

const show = (value: unknown): string | undefined => (value === undefined ? undefined : canonicalJson(value));

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
