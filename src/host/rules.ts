import { isObject } from '../jsonrpc/codec.ts';
import type { Tool, ToolAnnotations } from '../protocol/tools.ts';
import { canonicalJson } from './digest.ts';
import { fitsName, fitsPath, readPath } from './patterns.ts';

/** What a rule says of a call. */
export type Verdict = 'allow' | 'ask' | 'deny';

/**
 * One rule: what is to happen with a call that fits all that the rule names. What it leaves out fits everything.
 *
 * ```ts
 * { server: 'files', tool: 'write_*', args: { path: '/projects/**' }, then: 'allow' }
 * ```
 */
export interface Rule {
  readonly then: Verdict;
  /** The server's name in the configuration; `*` is any run of characters. */
  readonly server?: string;
  /** The tool's own name at its server; likewise. */
  readonly tool?: string;
  /**
   * Annotations that the tool must have. They are the server's word, so a rule that allows by them fits only servers
   * that the user marked as `trusted`.
   */
  readonly annotations?: Readonly<Partial<Record<Exclude<keyof ToolAnnotations, 'title'>, boolean>>>;
  /**
   * Arguments by name. Text with a `/` is a pattern for a path or a URI (`*` within a segment, `**` over segments); other
   * text a pattern for text; everything else must be equal. In a list, an `allow` needs every item to fit, an `ask` or
   * `deny` one. An argument that is missing fits nothing.
   */
  readonly args?: Readonly<Record<string, unknown>>;
}

/** What a rule is asked about. */
export interface RuledCall {
  readonly server: string;
  readonly trusted: boolean;
  readonly tool: Tool;
  readonly args: Readonly<Record<string, unknown>>;
}

/** Finds where a path really leads (through links); undefined: it cannot be known. */
export type ResolvePath = (path: string, server: string) => Promise<string | undefined>;

/** The decision and the rule that made it; `at` is its index, -1 where none fitted. */
export interface Ruling {
  readonly verdict: Verdict;
  readonly at: number;
}

/** The first rule that fits decides; where none fits, it is `ask`. */
export async function rule(rules: readonly Rule[], call: RuledCall, resolvePath?: ResolvePath): Promise<Ruling> {
  for (const [at, one] of rules.entries()) {
    if (await fits(one, call, resolvePath)) return { verdict: one.then, at };
  }
  return { verdict: 'ask', at: -1 };
}

async function fits({ then, server, tool, annotations, args }: Rule, call: RuledCall, resolvePath?: ResolvePath): Promise<boolean> {
  if (server !== undefined && !fitsName(server, call.server)) return false;
  if (tool !== undefined && !fitsName(tool, call.tool.name)) return false;
  if (annotations !== undefined) {
    if (then === 'allow' && !call.trusted) return false;
    const has = withDefaults(call.tool.annotations);
    for (const [name, wanted] of Object.entries(annotations)) {
      if (wanted !== undefined && has[name as keyof typeof has] !== wanted) return false;
    }
  }
  for (const [name, wanted] of Object.entries(args ?? {})) {
    if (!Object.hasOwn(call.args, name)) return false;
    if (!await fitsValue(wanted, call.args[name], then, call.server, resolvePath)) return false;
  }
  return true;
}

/** 2025-11-25 schema, ToolAnnotations: what a tool is that says nothing. */
export function withDefaults(annotations: ToolAnnotations | undefined): Required<Omit<ToolAnnotations, 'title'>> & Record<string, boolean | undefined> {
  const { readOnlyHint = false, destructiveHint = true, idempotentHint = false, openWorldHint = true } = annotations ?? {};
  return { readOnlyHint, destructiveHint, idempotentHint, openWorldHint };
}

async function fitsValue(wanted: unknown, given: unknown, then: Verdict, server: string, resolvePath?: ResolvePath): Promise<boolean> {
  if (Array.isArray(given) && !Array.isArray(wanted)) {
    const fitting = await Promise.all(given.map((item: unknown) => fitsValue(wanted, item, then, server, resolvePath)));
    return then === 'allow' ? fitting.length > 0 && fitting.every(Boolean) : fitting.some(Boolean);
  }
  if (typeof wanted === 'string') {
    if (typeof given !== 'string') return false;
    return wanted.includes('/') ? fitsLocation(wanted, given, then, server, resolvePath) : fitsName(wanted, given);
  }
  if (isObject(wanted) && isObject(given)) {
    for (const [name, one] of Object.entries(wanted)) {
      if (!Object.hasOwn(given, name) || !await fitsValue(one, given[name], then, server, resolvePath)) return false;
    }
    return true;
  }
  return same(wanted, given);
}

function same(a: unknown, b: unknown): boolean {
  try {
    return canonicalJson(a) === canonicalJson(b);
  } catch {
    return false;
  }
}

/**
 * A path escapes by `..`, by an escape sequence or by a link. To allow, the path must be plain, and where it really leads
 * must fit as well; to ask or to deny, it is enough that any reading of it fits.
 */
async function fitsLocation(pattern: string, given: string, then: Verdict, server: string, resolvePath?: ResolvePath): Promise<boolean> {
  const { normal, devious } = readPath(given);
  const real = normal.startsWith('/') ? await resolvePath?.(normal, server) : undefined;
  const wanted = readPath(pattern).normal;
  if (then === 'allow') {
    if (devious || !fitsPath(wanted, normal)) return false;
    return resolvePath === undefined || !normal.startsWith('/') || (real !== undefined && fitsPath(wanted, real));
  }
  return fitsPath(wanted, normal) || (real !== undefined && fitsPath(wanted, real)) || fitsName(pattern, given);
}
