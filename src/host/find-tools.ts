import type { CatalogueTool } from './catalogue.ts';
import type { Host } from './host.ts';
import { ToolSearch } from './tool-search.ts';

/** The search of each list of tools. If a tool changes, the host makes another list, and the old search is dropped with the old list. */
const searches = new WeakMap<readonly CatalogueTool[], ToolSearch<CatalogueTool>>();

/**
 * Finds the tools of a host that fit a request in words, best first; at most `limit`, 10 by default. The schemas of the others need not be
 * sent to a model. It is not a method of `Host`, so that a program without this import does not load the search.
 */
export async function findTools(host: Pick<Host, 'tools'>, query: string, limit: number = 10): Promise<CatalogueTool[]> {
  const tools = await host.tools();
  const search = searches.get(tools) ?? new ToolSearch(tools);
  searches.set(tools, search);
  return search.find(query, limit);
}
