import { fitsName } from '../host/patterns.ts';
import type { Tool } from '../protocol/index.ts';

/** The consent given in advance, and the way to ask for more. */
export interface ConsentOptions {
  /** `--yes`: consent to every call. */
  readonly all: boolean;
  /** `--allow PATTERN`, for tool names; `*` matches any characters. */
  readonly allowed: readonly string[];
  /** `--strict`: do not trust annotations. */
  readonly strict: boolean;
  /** Set for the project's own example server: true for the tools that may be called. */
  readonly own?: ((tool: Tool) => boolean) | undefined;
  /** Asks the person; undefined if nobody is present. */
  readonly ask?: ((tool: Tool, args: Readonly<Record<string, unknown>>) => Promise<boolean>) | undefined;
}

/** Whether a call may be made, and the reason in words that fit after "because". */
export interface CallConsent {
  readonly given: boolean;
  readonly why: string;
}

/** The reason why a tool may be called without asking, in words that fit after "because". Undefined: the person must be asked. */
export function consentedBeforehand(tool: Tool, { all, allowed, strict, own }: Omit<ConsentOptions, 'ask'>): string | undefined {
  if (all) return '--yes consents to everything';
  const pattern = allowed.find((one) => fitsName(one, tool.name));
  if (pattern !== undefined) return `--allow ${pattern} consents to it`;
  if (own?.(tool)) return 'it belongs to the example of this project';
  return reads(tool) && !strict ? 'the server says that it only reads' : undefined;
}

/** Whether the server says that a tool only reads. Contradicting annotations do not count. */
const reads = ({ annotations: { readOnlyHint, destructiveHint } = {} }: Tool): boolean => readOnlyHint === true && destructiveHint !== true;

/**
 * Decides whether a tool may be called. Without consent, only tools marked read-only and tools of the project's own
 * example run. A tool without annotations is destructive: 2025-11-25 schema, ToolAnnotations. An annotation is only the
 * server's claim, but a server that lies here lies to every client.
 */
export async function consentTo(
  tool: Tool, args: Readonly<Record<string, unknown>>, { all, allowed, strict, own, ask }: ConsentOptions,
): Promise<CallConsent> {
  const { readOnlyHint, destructiveHint } = tool.annotations ?? {};
  const given = consentedBeforehand(tool, { all, allowed, strict, own });
  if (given !== undefined) return { given: true, why: given };
  if (ask) {
    return await ask(tool, args)
      ? { given: true, why: 'the person consented' }
      : { given: false, why: 'the person did not consent' };
  }
  const said = reads(tool) ? 'it says that it only reads, which --strict does not believe'
    : destructiveHint === true ? 'it is marked destructive'
      : readOnlyHint === false || destructiveHint === false ? 'it does not say that it only reads'
        : 'it has no hints, and so counts as destructive';
  return { given: false, why: `${said}; consent with --yes or --allow ${tool.name}` };
}

/** The options of commands that call tools. */
export const consentOptions = {
  yes: { type: 'boolean', short: 'y' }, allow: { type: 'string', multiple: true }, strict: { type: 'boolean' }, rules: { type: 'string' },
} as const;

/** Help for these options. */
export const consentHelp: readonly (readonly [string, string])[] = [
  ['--yes', 'consents to every call'],
  ['--allow NAME', 'consents to tools of this name; * is any run of characters; may be given again'],
  ['--strict', 'does not trust a server that says a tool only reads'],
  ['--rules FILE', 'what is allowed, asked or denied before all that; default: rules.json of the user'],
];
