import { checkOptions } from '../bounds/options.ts';
import type { Shape } from '../bounds/options.ts';
import { isObject } from '../jsonrpc/internal-exports.ts';
import type { Tool, ToolAnnotations } from '../protocol/index.ts';
import { canonicalJson } from '../skills/digest.ts';
import { fitsLoosely, kindOf, normal as normalPath, patternOf, readLocation } from './locations.ts';
import { fitsName, fitsPath } from './patterns.ts';

/** The origin of a call: the model or the application, or an app that is shown (barewire/apps). */
export type CallOrigin = 'model' | 'app';

/** The decision of a rule about a call. */
export type Verdict = 'allow' | 'ask' | 'deny';

/**
 * One rule: the decision for every call that fits all its members. A missing member fits everything.
 *
 * ```ts
 * { server: 'files', tool: 'write_*', args: { path: '/projects/**' }, then: 'allow' }
 * ```
 */
export interface Rule {
  readonly then: Verdict;
  /**
   * The server's name in the configuration; `*` is any run of characters. A server that came with a folder has the
   * name `FILE#name` for rules that allow; other rules fit it by either name.
   */
  readonly server?: string;
  /** The tool's own name at its server; `*` as above. */
  readonly tool?: string;
  /** `app`: only calls of apps. `model`: only other calls. */
  readonly origin?: CallOrigin;
  /**
   * Annotations that the tool must have. The server itself states them, so a rule that allows by them fits only
   * servers that the user marked as `trusted`.
   */
  readonly annotations?: Readonly<Partial<Record<Exclude<keyof ToolAnnotations, 'title'>, boolean>>>;
  /**
   * Arguments by name. Text with a `/` is a pattern for a path or a URI (`*` within a segment, `**` over segments);
   * other text is a pattern for text; any other value must be equal. For a list, an `allow` needs every item to fit,
   * an `ask` or `deny` only one. A missing argument fits nothing. A path is compared by its real place; an `ask` or
   * `deny` also fits if that place is unknown.
   */
  readonly args?: Readonly<Record<string, unknown>>;
}

// For `checkOptions`.
const ruleShape: Shape<Rule> = {
  then: '"allow" or "ask" or "deny"', server: 'string', tool: 'string', args: 'object', origin: '"app" or "model"',
  annotations: { readOnlyHint: 'boolean', destructiveHint: 'boolean', idempotentHint: 'boolean', openWorldHint: 'boolean' },
};

/**
 * Throws a TypeError for a rule with an unknown or malformed member, or without `then`: it would fit more calls than
 * intended.
 */
export function checkRule(place: string, one: Rule): void {
  // A missing `then` becomes null, which is refused as not a verdict.
  checkOptions<object>(place, { ...one, then: one?.then ?? null }, ruleShape);
  checkPatterns(`${place}.args`, one.args ?? {});
}

/** `~` is not expanded: such a pattern would fit nothing, and deny nothing. */
function checkPatterns(place: string, patterns: Readonly<Record<string, unknown>>): void {
  for (const [name, pattern] of Object.entries(patterns)) {
    const at = `${place}.${name.slice(0, 80)}`;
    if (isObject(pattern)) checkPatterns(at, pattern);
    else if (typeof pattern === 'string' && /^~[^/]*\//.test(pattern)) {
      throw Object.assign(new TypeError(`${at} is invalid, expected a whole path, not "~"`), { code: 'invalid_option' });
    }
  }
}

/** The call that a rule is applied to. */
export interface RuledCall {
  readonly server: string;
  /** The server's identity if its name is ambiguous: see `ServerConfig.folder`. Default: its name. */
  readonly identity?: string;
  readonly trusted: boolean;
  readonly tool: Tool;
  readonly args: Readonly<Record<string, unknown>>;
  /** Default: `model`. */
  readonly origin?: CallOrigin;
}

/**
 * Finds the real place of a path, as a path from the root with `/` between its segments; undefined: it is unknown.
 * The path is the one that the server receives: it may be relative to the server's folder, and contain `..`, which
 * may follow a link.
 */
export type ResolvePath = (path: string, server: string) => Promise<string | undefined>;

/** The decision and the rule that made it; `at` is its index, -1 if no rule fitted. */
export interface Ruling {
  readonly verdict: Verdict;
  readonly at: number;
}

/**
 * The first rule that fits decides; if none fits, the verdict is `ask`. Rejects with a TypeError for an unknown or
 * malformed rule.
 */
export async function rule(rules: readonly Rule[], call: RuledCall, resolvePath?: ResolvePath): Promise<Ruling> {
  checkOptions('rule: call', call, { server: 'string', identity: 'string', trusted: 'boolean', tool: 'object', args: 'object', origin: '"app" or "model"' });
  for (const [at, one] of rules.entries()) {
    checkRule(`rule: rules[${at}]`, one);
    if (await fits(one, call, resolvePath)) return { verdict: one.then, at };
  }
  return { verdict: 'ask', at: -1 };
}

/** The facts that a rule is compared with before the arguments are known. */
export type RuledTool = Omit<RuledCall, 'args'>;

/**
 * The index of the first rule that fits a tool's server, name and annotations, if it has no `args` and denies: then no
 * call of the tool can run. Otherwise -1.
 */
export function deniesAnyCall(rules: readonly Rule[], tool: RuledTool): number {
  const at = rules.findIndex((one) => fitsTool(one, tool));
  const { then, args = {} } = rules[at] ?? {};
  return then === 'deny' && Object.keys(args).length === 0 ? at : -1;
}

function fitsTool({ then, server, tool, annotations, origin }: Rule, call: RuledTool): boolean {
  if (origin !== undefined && origin !== (call.origin ?? 'model')) return false;
  if (server !== undefined && !fitsName(server, call.identity ?? call.server) && (then === 'allow' || !fitsName(server, call.server))) return false;
  if (tool !== undefined && !fitsName(tool, call.tool.name)) return false;
  if (annotations === undefined) return true;
  if (then === 'allow' && !call.trusted) return false;
  const has = withDefaults(call.tool.annotations);
  return Object.entries(annotations).every(([name, wanted]) => wanted === undefined || has[name as keyof typeof has] === wanted);
}

async function fits(one: Rule, call: RuledCall, resolvePath?: ResolvePath): Promise<boolean> {
  if (!fitsTool(one, call)) return false;
  for (const [name, wanted] of Object.entries(one.args ?? {})) {
    if (!Object.hasOwn(call.args, name)) return false;
    if (!await fitsValue(wanted, call.args[name], one.then, call.server, resolvePath)) return false;
  }
  return true;
}

/** 2025-11-25 schema, ToolAnnotations: the defaults of annotations that a tool does not state. */
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
    const isLocation = /[\\/]/.test(wanted);
    // A tool may do anything with an object instead of a path.
    if (typeof given !== 'string') return isLocation && then !== 'allow' && typeof given === 'object' && given !== null;
    return isLocation ? fitsLocation(wanted, given, then, server, resolvePath) : fitsName(wanted, given);
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
 * Whether a text is a location that a pattern names. A path may lead elsewhere than it seems: by `..`, by escapes, by
 * a link, by its case. To allow, it must be plain, and its real place must fit as well. To ask or to deny, it is
 * enough that any reading of it fits, or that its real place is unknown.
 */
async function fitsLocation(text: string, given: string, then: Verdict, server: string, resolvePath?: ResolvePath): Promise<boolean> {
  const { readings, plain, certain } = readLocation(given);
  const patterns = await patternsOf(text, server, resolvePath);
  if (then === 'allow' && (!plain || readings.length === 0)) return false;
  if (then !== 'allow' && !certain) return true;
  for (const { normal, path } of readings) {
    // With `..` resolved by the system, and with `..` removed before, as some programs do.
    const paths = path === undefined || !resolvePath ? [] : [...new Set([path, normal])];
    const reals = await Promise.all(paths.map((one) => resolvePath?.(one, server)));
    const known = reals.every((real) => real !== undefined);
    const locations = [normal, ...reals.filter((real) => real !== undefined)];
    if (then === 'allow') {
      if (!known || !locations.every((one) => patterns.some((pattern) => fitsPath(pattern, one)))) return false;
    } else {
      if (locations.some((one) => patterns.some((pattern) => fitsLoosely(pattern, one)))) return true;
      if (!isElsewhere(patterns, normal, path, paths.length > 0 && known, resolvePath !== undefined)) return true;
    }
  }
  return then === 'allow';
}

/** Whether a reading that fits no pattern certainly means a place outside all of them. */
function isElsewhere(patterns: readonly string[], normal: string, path: string | undefined, resolved: boolean, resolves: boolean): boolean {
  return patterns.every((pattern) => {
    const [wanted, given] = [kindOf(pattern), kindOf(normal)];
    // A URI is not a path. Some programs add a scheme to a text without one.
    if (wanted === 'uri') return given === 'uri';
    // The system's names for other files, which differ for each process.
    if (given !== 'uri' && /^\/(?:proc|dev\/fd)(?:\/|$)/.test(normal)) return false;
    if (given === 'uri' || resolved) return true;
    // Its place was looked up and is unknown; or it leads up, perhaps out of a link; or its base folder is unknown.
    return !resolves && path !== undefined && !path.split('/').includes('..') && wanted === given;
  });
}

/** A pattern as written, and with the links of its first segments without a star followed. */
async function patternsOf(text: string, server: string, resolvePath: ResolvePath | undefined): Promise<readonly string[]> {
  const pattern = patternOf(text);
  if (!resolvePath || kindOf(pattern) === 'uri') return [pattern];
  const segments = pattern.split('/');
  const star = segments.findIndex((segment) => segment.includes('*'));
  const fixed = (star < 0 ? segments : segments.slice(0, star)).join('/') || (pattern.startsWith('/') ? '/' : '.');
  const real = await resolvePath(fixed, server);
  if (real === undefined) return [pattern];
  return [pattern, normalPath([real, ...star < 0 ? [] : segments.slice(star)].join('/'))];
}
