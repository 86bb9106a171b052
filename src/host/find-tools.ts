import type { CatalogueTool } from './catalogue.ts';
import type { Host } from './host.ts';
import { ToolSearch } from './tool-search.ts';

/** Kept as long as the list that it is of: a host has another one when a tool changes. */
const searches = new WeakMap<readonly CatalogueTool[], ToolSearch<CatalogueTool>>();

/**
 * The tools of a host that fit a request in words, best first; at most `limit`, 10 by default. Schemas of all others need not
 * be sent to a model. It stands beside `Host`, so that a program that searches nothing does not carry the search.
 */
export async function findTools(host: Pick<Host, 'tools'>, query: string, limit: number = 10): Promise<CatalogueTool[]> {
  const tools = await host.tools();
  const search = searches.get(tools) ?? new ToolSearch(tools);
  searches.set(tools, search);
  return search.find(query, limit);
}
