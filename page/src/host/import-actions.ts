import type { ServerConfig } from 'barewire/host';
import type { ActionName } from '../messages.ts';
import type { Handlers } from './actions.ts';
import { PageError } from './failure.ts';
import type { PageHost } from './page-host.ts';
import { targetOf } from './server-entry.ts';

/** Imports servers from the configurations of other applications: exactly those that `import.look` returned. */
export function importActions(page: PageHost): Pick<Handlers, Extract<ActionName, `import.${string}`>> {
  const { importing } = page.options;
  const looked = new Map<string, Readonly<Record<string, ServerConfig>>>();
  return {
    async 'import.look'({ from }) {
      const found = await importing?.read(String(from));
      if (!found) throw new PageError('not-here', `there is no application ${JSON.stringify(from)}`);
      looked.set(from, found.servers);
      return { paths: found.paths, entries: Object.entries(found.servers).map(([name, config]) => ({ name, target: targetOf(config), taken: page.entries.has(name) })) };
    },
    async 'import.add'({ from, names }) {
      const servers = looked.get(from) ?? {};
      for (const name of names) {
        if (!Object.hasOwn(servers, name)) throw new PageError('changed', `${JSON.stringify(name)} was not shown before`);
        if (!page.entries.has(name)) await page.add(name, servers[name] as ServerConfig, 'auto');
      }
      return null;
    },
  };
}
