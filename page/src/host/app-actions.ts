import { appOf, loadApp } from 'barewire/apps';
import type { AppView } from '../messages.ts';
import type { ActionName } from '../messages.ts';
import type { Handlers } from './actions.ts';
import { failureOf, PageError } from './failure.ts';
import type { PageHost } from './page-host.ts';

type Names = Extract<ActionName, `app.${string}`>;

/** The most open apps, over all pages: the oldest is closed first. A page that disconnects does not close its apps. */
const maxOpen = 16;

interface OpenApp {
  readonly server: string;
  close(): void;
}

// Open apps belong to the host, but `appActions` runs once for each page.
const openApps = new WeakMap<PageHost, Map<string, OpenApp>>();

/** Actions that show apps of servers, and serve the requests of apps. */
export function appActions(page: PageHost): Pick<Handlers, Names> {
  const { host, calls } = page;
  const known = openApps.get(page);
  const apps = known ?? new Map<string, OpenApp>();
  if (!known) openApps.set(page, apps);

  function opened(app: unknown): OpenApp {
    const found = apps.get(String(app));
    if (!found) throw new PageError('no-such-app', 'this app is not open any more');
    return found;
  }

  /** An app never reaches the page's own listeners, whatever it declares. */
  function isElsewhere(origin: string): boolean {
    const port = Number(/:(\d+)$/.exec(origin)?.[1]);
    return page.options.apps?.ownPorts().includes(port) === false;
  }

  return {
    async 'app.open'({ call: number }, { signal }): Promise<AppView> {
      const screen = page.options.apps;
      const call = calls.views.find((one) => one.call === number);
      if (!screen || call?.about.kind !== 'tool' || (call.state !== 'running' && call.state !== 'done')) throw new PageError('no-such-app', 'an app is shown for a call of a tool that runs or is done');
      const { server, about } = call;
      const { tool } = page.tool(server, about.name);
      const uri = appOf(tool);
      if (uri === undefined) throw new PageError('no-such-app', `${about.name} has no app`);
      const listed = (await host.catalogue()).resources().find((one) => one.server === server && one.item.uri === uri)?.item;
      const loaded = await loadApp((wanted) => host.readResource(server, wanted, { signal }), uri, { allows: isElsewhere, ...listed && { listed } }).catch((thrown: unknown) => {
        throw new PageError('no-such-app', failureOf(thrown).message);
      });
      for (const [oldest, { close }] of apps) {
        if (apps.size < maxOpen) break;
        close();
        apps.delete(oldest);
      }
      const app = crypto.randomUUID();
      const place = screen.open(loaded.meta.csp ?? {}, (what) => page.tell({ type: 'app-refused', app, what }));
      apps.set(app, { server, close: () => place.close() });
      return { app, port: screen.port, path: place.path, tool, args: about.args, call: number, uri, html: loaded.html, meta: loaded.meta, faults: loaded.faults };
    },
    'app.close'({ app }) {
      apps.get(String(app))?.close();
      apps.delete(String(app));
      return null;
    },
    async 'app.call'({ app, name, args }, { signal }) {
      const { server } = opened(app);
      return calls.run(server, { kind: 'tool', name: String(name).slice(0, 1_024), args, app: true }, signal, (running) => host.app(server).callTool(String(name), args, {
        signal: running.signal, onProgress: running.onProgress, timeoutMs: page.limits.callTimeoutMs,
        via: (client, tool, given, options) => {
          running.sends('tools/call');
          return client.callTool(tool, given, options);
        },
      }));
    },
    async 'app.read'({ app, uri }, { signal }) {
      return host.app(opened(app).server).readResource(String(uri), { signal });
    },
  };
}
