import { whyNotOffered } from '../host/availability.ts';
import type { Rule, ServerConfig } from '../host/index.ts';
import type { Tool } from '../protocol/index.ts';

/** A server as a command knows it. */
export interface KnownServer {
  readonly server: ServerConfig;
  /** Its name in the configuration; undefined if the target is an address or a program. */
  readonly name: string | undefined;
  /** The server as the user wrote it. */
  readonly targetName: string;
}

/** The names by which rules know a server. A program named like a configured server is not that server. */
export function ruledNames({ server, name, targetName }: KnownServer): { readonly server: string; readonly identity: string } {
  const known = name ?? `-- ${targetName}`;
  return { server: known, identity: server.folder === undefined ? known : `${server.folder}#${known}` };
}

/** The reason why a tool is hidden, in words for the user; undefined: it is offered. The same decision as `Host` makes. */
export function whyHidden(known: KnownServer, rules: readonly Rule[], tool: Tool): string | undefined {
  const { server } = known;
  const why = whyNotOffered({ ...ruledNames(known), trusted: server.trusted === true, own: server.tools, all: undefined, rules }, tool);
  return why === 'tools' ? '"tools" of its entry in the configuration leaves it out' : why && `${why} denies it`;
}
