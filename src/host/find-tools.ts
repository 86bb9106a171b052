import type { CatalogueTool } from './catalogue.ts';
import type { Host } from './host.ts';
import { ToolSearch } from './tool-search.ts';

/** The search of each list of tools. A host makes another list when a tool changes, and then the old search goes with its list. */
const searches = new WeakMap<readonly CatalogueTool[], ToolSearch<CatalogueTool>>();

/**
 * Finds the tools of a host that fit a request in words, best first; at most `limit`, 10 by default. The schemas of the
 * others need not be sent to a model. It is a function beside `Host`, so that a program that does not import it does not
 * carry the search.
 */
export async function findTools(host: Pick<Host, 'tools'>, query: string, limit: number = 10): Promise<CatalogueTool[]> {
  const tools = await host.tools();
  const search = searches.get(tools) ?? new ToolSearch(tools);
  searches.set(tools, search);
  return search.find(query, limit);
}
