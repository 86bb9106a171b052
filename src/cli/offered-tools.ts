import { whyNotOffered } from '../host/availability.ts';
import type { Rule, ServerConfig } from '../host/index.ts';
import type { Tool } from '../protocol/index.ts';

/** A server as a command knows it. */
export interface KnownServer {
  readonly server: ServerConfig;
  /** Its name in the configuration; undefined: it was given as an address or a program. */
  readonly name: string | undefined;
  /** How the person named it. */
  readonly targetName: string;
}

/** The names by which rules know a server. A program by the name of a configured server is not that server. */
export function ruledNames({ server, name, targetName }: KnownServer): { readonly server: string; readonly identity: string } {
  const known = name ?? `-- ${targetName}`;
  return { server: known, identity: server.folder === undefined ? known : `${server.folder}#${known}` };
}

/** Why a tool of this server is not offered, as words for the person; undefined: it is offered, as `Host` offers it. */
export function whyHidden(known: KnownServer, rules: readonly Rule[], tool: Tool): string | undefined {
  const { server } = known;
  const why = whyNotOffered({ ...ruledNames(known), trusted: server.trusted === true, own: server.tools, all: undefined, rules }, tool);
  return why === 'tools' ? '"tools" of its entry in the configuration leaves it out' : why && `${why} denies it`;
}
