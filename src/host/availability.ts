import { checkOptions } from '../bounds/options.ts';
import type { Shape } from '../bounds/options.ts';
import type { Tool } from '../protocol/index.ts';
import { isVisibleTo } from '../apps/tool-meta.ts';
import { fitsName } from './patterns.ts';
import { deniesAnyCall } from './rules.ts';
import type { CallOrigin, Rule } from './rules.ts';

/**
 * Which tools are offered, by their names; `*` is any run of characters. A tool that is not offered is not listed, not
 * found, and not called.
 *
 * ```ts
 * { include: ['read_*', 'list_*'], exclude: ['read_secret'] }
 * ```
 */
export interface ToolSelection {
  /** Only these. Default: all. */
  readonly include?: readonly string[];
  /** Not these, also if `include` names them. Default: all are offered. */
  readonly exclude?: readonly string[];
}

// For `checkOptions`.
const selectionShape: Shape<ToolSelection> = { include: 'list', exclude: 'list' };

/** Throws a TypeError for an unknown or malformed member: a misspelt `exclude` would offer the tools that it names. */
export function checkSelection(place: string, selection: ToolSelection): void {
  checkOptions(place, selection, selectionShape);
  for (const member of ['include', 'exclude'] as const) {
    selection[member]?.forEach((pattern, at) => checkOptions(`${place}.${member}[${at}]`, pattern, 'string'));
  }
}

/**
 * Whether a selection offers a tool. In a selection over all servers (`whole` is `server/tool`), a pattern with `/` is compared with
 * `whole`, another one with the tool's own name. To exclude, a pattern may fit either, so that a server cannot evade it by a `/` in a name.
 */
function selects({ include, exclude = [] }: ToolSelection, tool: string, whole: string = tool): boolean {
  return (include?.some((pattern) => fitsName(pattern, pattern.includes('/') ? whole : tool)) ?? true)
    && !exclude.some((pattern) => fitsName(pattern, whole) || fitsName(pattern, tool));
}

/** The facts that decide whether a tool is offered. */
export interface Availability {
  readonly server: string;
  /** See `ServerConfig.folder`. */
  readonly identity: string;
  readonly trusted: boolean;
  /** The selection of the server's entry, and the one over all servers. */
  readonly own: ToolSelection | undefined;
  readonly all: ToolSelection | undefined;
  readonly rules: readonly Rule[];
}

/**
 * The reason why a tool is not offered, for the activity log; undefined: it is offered. Apps, Visibility: a host lists no app-only tool for
 * a model, and lets no app call a model-only tool.
 */
export function whyNotOffered({ server, identity, trusted, own, all, rules }: Availability, tool: Tool, origin: CallOrigin = 'model'): string | undefined {
  if (!isVisibleTo(tool, origin)) return 'visibility';
  if (!selects(own ?? {}, tool.name) || !selects(all ?? {}, tool.name, `${server}/${tool.name}`)) return 'tools';
  const at = deniesAnyCall(rules, { server, identity, trusted, tool, origin });
  return at < 0 ? undefined : `rule ${at}`;
}
