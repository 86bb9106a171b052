import type { Params } from '../jsonrpc/message.ts';
import type { ServerCapabilities } from '../protocol/initialize.ts';
import type { Revision } from '../protocol/revisions.ts';
import type { Tool } from '../protocol/tools.ts';
import type { Exchange } from './exchange.ts';

/** Answers a request. A throw is an error answer. */
export type Answer = (params: Params, exchange: Exchange) => object | Promise<object>;

/** A part of the protocol that a server may have or lack: what it answers, and what it declares. */
export interface Feature {
  readonly methods: Readonly<Record<string, Answer>>;
  /** What it adds; undefined where there is nothing yet: then its methods are not found. */
  capabilities(revision: Revision): ServerCapabilities | undefined;
  /** See `ServerPort`. */
  toolInput?(name: string): Tool['inputSchema'] | undefined;
}
