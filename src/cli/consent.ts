import { fitsName } from '../host/patterns.ts';
import type { Tool } from '../protocol/tools.ts';

/** What the person has consented to beforehand, and how to ask for the rest. */
export interface ConsentOptions {
  /** `--yes`: to everything. */
  readonly all: boolean;
  /** `--allow PATTERN`, for names of tools; `*` is any run of characters. */
  readonly allowed: readonly string[];
  /** `--strict`: annotations are not believed. */
  readonly strict: boolean;
  /** The server is the project's own example, and this is true of the tools that may be called. */
  readonly own?: ((tool: Tool) => boolean) | undefined;
  /** Asks the person; undefined: nobody is there. */
  readonly ask?: ((tool: Tool, args: Readonly<Record<string, unknown>>) => Promise<boolean>) | undefined;
}

/** Whether a call may be made, and why: words that follow "because". */
export interface Consent {
  readonly given: boolean;
  readonly why: string;
}

/**
 * Whether a tool may be called. Nothing runs without consent but what says of itself that it only reads, and what belongs
 * to the project's own example. A tool without annotations is destructive: 2025-11-25 schema, ToolAnnotations. The
 * annotation is the server's word: a server that lies here lies to every client.
 */
export async function consentTo(
  tool: Tool, args: Readonly<Record<string, unknown>>, { all, allowed, strict, own, ask }: ConsentOptions,
): Promise<Consent> {
  if (all) return { given: true, why: '--yes consents to everything' };
  const pattern = allowed.find((one) => fitsName(one, tool.name));
  if (pattern !== undefined) return { given: true, why: `--allow ${pattern} consents to it` };
  const { readOnlyHint, destructiveHint } = tool.annotations ?? {};
  if (own?.(tool)) return { given: true, why: 'it belongs to the example of this project' };
  // What says both contradicts itself.
  const reads = readOnlyHint === true && destructiveHint !== true;
  if (reads && !strict) return { given: true, why: 'the server says that it only reads' };
  if (ask) {
    return await ask(tool, args)
      ? { given: true, why: 'the person consented' }
      : { given: false, why: 'the person did not consent' };
  }
  const said = reads ? 'it says that it only reads, which --strict does not believe'
    : destructiveHint === true ? 'it is marked destructive'
      : readOnlyHint === false || destructiveHint === false ? 'it does not say that it only reads'
        : 'it says nothing of itself, and so counts as destructive';
  return { given: false, why: `${said}; consent with --yes or --allow ${tool.name}` };
}
