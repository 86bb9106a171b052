// The whole page: servers at the left, one server in the middle, the wire next to it.
import type { JSX } from 'preact';
import { useLayoutEffect } from 'preact/hooks';
import { useSignal } from '@preact/signals';
import { StateProvider, useState } from './context.ts';
import { Boundary } from './parts/boundary.tsx';
import { Empty, Tabs } from './parts/controls.tsx';
import type { TabItem } from './parts/controls.tsx';
import { Safe } from './parts/safe-text.tsx';
import type { Example } from './page-parts.ts';
import type { State } from './state.ts';
import type { DockTab, Tab } from './tabs.ts';
import { Rail } from './views/rail.tsx';

/** From this width on the halves are side by side, below it one above the other; on a narrow screen only one is shown. */
const sideBySide = (): MediaQueryList => window.matchMedia('(min-width: 1100px)');
const narrow = (): MediaQueryList => window.matchMedia('(max-width: 719px)');

export function App({ state }: { readonly state: State }): JSX.Element {
  return (
    <StateProvider value={state}>
      <Body />
    </StateProvider>
  );
}

function Body(): JSX.Element {
  const state = useState();
  const lost = state.lost.value;
  return (
    <>
      <p class="unseen" aria-live="assertive" role="status">{state.announcement.value}</p>
      {lost && (
        <div class="lost" role="alert">
          <strong>{lost.final ? 'This page cannot reach its host.' : 'The connection to the host is lost.'}</strong> <Safe text={lost.why} most={500} />
          {lost.final ? ' Open the address again that the command printed.' : <button type="button" class="small" onClick={() => state.link.open()}>Try now</button>}
        </div>
      )}
      {state.welcome.value ? <Frame /> : !lost && <Empty>Waiting for the host …</Empty>}
      <Notices />
      {state.welcome.value && <Overlays />}
    </>
  );
}

/** The dialogs that keys open. */
function Overlays(): JSX.Element | null {
  const state = useState();
  const open = useSignal<'palette' | 'keys' | undefined>(undefined);
  // A layout effect runs with the first rendering, so that the first key works.
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || document.querySelector('dialog[open]') !== null) return;
      // The JSON editor is in a shadow tree; the first entry of the path is the real target.
      const [at] = event.composedPath();
      const writes = at instanceof HTMLElement && (at.isContentEditable || at.matches('input:not([type="range"], [type="checkbox"], [type="radio"]), textarea, select'));
      const wanted = event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey) ? 'palette' : event.key === '?' && !writes ? 'keys' : undefined;
      if (!wanted) return;
      event.preventDefault();
      open.value = wanted;
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
  const { Palette, Keys } = state.parts;
  const Opened = open.value === 'palette' ? Palette : Keys;
  return open.value === undefined ? null : <Opened key={open.value} onDone={() => { open.value = undefined; }} />;
}

function Frame(): JSX.Element {
  const state = useState();
  const layout = useSignal<'narrow' | 'vertical' | 'horizontal'>(layoutNow());
  const share = useSignal(56);
  useLayoutEffect(() => {
    const look = (): void => { layout.value = layoutNow(); };
    const queries = [sideBySide(), narrow()];
    for (const query of queries) query.addEventListener('change', look);
    return () => {
      for (const query of queries) query.removeEventListener('change', look);
    };
  }, []);
  // A layout effect runs with the first rendering: a file that is dropped before it would replace the page.
  useLayoutEffect(() => {
    const isFile = ({ dataTransfer }: DragEvent): boolean => dataTransfer?.types.includes('Files') === true;
    const over = (event: DragEvent): void => {
      if (isFile(event)) event.preventDefault();
    };
    const drop = (event: DragEvent): void => {
      if (!isFile(event) || event.defaultPrevented) return;
      // Otherwise the browser would leave the page and open the file.
      event.preventDefault();
      const [file] = event.dataTransfer?.files ?? [];
      if (file) void state.openWire(file);
    };
    addEventListener('dragover', over);
    addEventListener('drop', drop);
    return () => {
      removeEventListener('dragover', over);
      removeEventListener('drop', drop);
    };
  }, []);
  const half = state.half.value;
  const { Questions } = state.parts;
  const waiting = state.questions.value.size;
  const asked = waiting > 0 && !state.later.value && !state.lost.value;
  return (
    <div class={`frame ${layout.value}`}>
      <Rail />
      <div class="halves" style={{ '--share': share.value / 100 }}>
        {layout.value === 'narrow' && (
          <nav class="half-switch" aria-label="Which half">
            <button type="button" class="tab" aria-pressed={half === 'work'} onClick={() => { state.half.value = 'work'; }}>Server{waiting > 0 && <span class="count">{waiting}</span>}</button>
            <button type="button" class="tab" aria-pressed={half === 'dock'} onClick={() => { state.half.value = 'dock'; }}>Wire</button>
          </nav>
        )}
        <main class="work" hidden={layout.value === 'narrow' && half !== 'work'}>
          {state.later.value && waiting > 0 && <p class="waits row"><span>{waiting} {waiting === 1 ? 'question waits' : 'questions wait'} for you.</span><button type="button" class="small primary" onClick={() => { state.later.value = false; }}>Show</button></p>}
          <div class="work-inside" inert={asked}><Work /></div>
          {asked && <Questions />}
        </main>
        <div class="dock" role={layout.value === 'narrow' && half === 'dock' ? 'main' : 'complementary'} aria-label="What passes" hidden={layout.value === 'narrow' && half !== 'dock'}>
          {layout.value !== 'narrow' && <input type="range" class="border" min={0} max={100} aria-label="Share of the server's half" value={share.value} onInput={({ currentTarget }) => {
            share.value = clamp(currentTarget.valueAsNumber);
            currentTarget.valueAsNumber = share.value;
          }} />}
          <Dock />
        </div>
      </div>
    </div>
  );
}

/** Keeps both halves visible. */
const clamp = (share: number): number => Math.min(Math.max(share, 20), 80);

const layoutNow = (): 'narrow' | 'vertical' | 'horizontal' => (narrow().matches ? 'narrow' : sideBySide().matches ? 'horizontal' : 'vertical');

function Work(): JSX.Element {
  const state = useState();
  const server = state.current.value;
  if (!server) return <FirstRun />;
  const catalogue = state.catalogue.value;
  const { views } = state.parts;
  const calls = [...state.calls.value.values()].filter((one) => one.server === server.name && one.endedAt === null).length;
  const tabs: readonly TabItem<Tab>[] = [
    { id: 'overview', title: 'Overview' },
    { id: 'tools', title: 'Tools', count: catalogue?.tools.length ?? 0 },
    { id: 'resources', title: 'Resources', count: (catalogue?.resources.length ?? 0) + (catalogue?.templates.length ?? 0) },
    { id: 'prompts', title: 'Prompts', count: catalogue?.prompts.length ?? 0 },
    { id: 'tasks', title: 'Tasks', count: [...state.tasks.value.values()].filter((one) => one.server === server.name).length },
    { id: 'logs', title: 'Logs' },
    { id: 'doctor', title: 'Doctor' },
    ...views.judge && state.welcome.value?.features.judge ? [{ id: 'judge', title: 'Judge' } as const] : [],
  ];
  const tab = state.tab.value;
  const View = views[tab] ?? views.overview;
  return (
    <>
      <div class="work-head">
        <Tabs items={tabs} chosen={tab} onChoose={(id) => { state.tab.value = id; }} label={`Views of ${server.name}`} controls="work-panel" />
        {calls > 0 && <span class="badge live" role="status">{calls} {calls === 1 ? 'call runs' : 'calls run'}</span>}
      </div>
      <div class="panel" id="work-panel" role="tabpanel" aria-labelledby={`work-panel-tab-${tab}`} tabIndex={0}>
        <Boundary key={`${server.name} ${tab}`} value={catalogue ?? server}>{View && <View server={server} />}</Boundary>
      </div>
    </>
  );
}

/** Well-known examples for a first server. A click fills in the form, and starts nothing. */
const examples: readonly (Example & { readonly about: string })[] = [
  { name: 'everything', where: 'npx -y @modelcontextprotocol/server-everything', about: 'one of everything, from the makers of the protocol' },
  { name: 'folder', where: 'npx barewire serve .', about: 'each executable file of a folder as a tool' },
  { name: 'local', where: 'http://127.0.0.1:3000/mcp', about: 'a server that runs on this machine' },
];

function FirstRun(): JSX.Element {
  const state = useState();
  const chosen = useSignal<Example | undefined>(undefined);
  const { AddServer } = state.parts;
  if (!AddServer || state.welcome.value?.features.add !== true) return <Empty>There is no server.</Empty>;
  return (
    <div class="panel">
      <Empty>Add a server at the left, or name one in the configuration. Or begin with one of these:</Empty>
      <ul class="plain">{examples.map((one) => <li key={one.name} class="row wrap"><button type="button" onClick={() => { chosen.value = one; }}><code>{one.where}</code></button> <span class="dim">{one.about}</span></li>)}</ul>
      {chosen.value && <AddServer example={chosen.value} onDone={() => { chosen.value = undefined; }} />}
    </div>
  );
}

function Dock(): JSX.Element {
  const state = useState();
  const tabs: readonly TabItem<DockTab>[] = [
    { id: 'wire', title: 'Wire' }, { id: 'activity', title: 'Activity' },
    { id: 'recordings', title: 'Recordings', count: state.recordings.value.size },
  ];
  const tab = state.dock.value;
  const View = state.parts.docks[tab];
  return (
    <>
      <div class="work-head"><Tabs items={tabs} chosen={tab} onChoose={(id) => { state.dock.value = id; }} label="What passes" controls="dock-panel" /></div>
      <div class="panel dock-panel" id="dock-panel" role="tabpanel" aria-labelledby={`dock-panel-tab-${tab}`} tabIndex={-1}><View /></div>
    </>
  );
}

function Notices(): JSX.Element {
  const { notices } = useState();
  return (
    <div class="notices" role="log" aria-label="Notices">
      {notices.list.value.map(({ id, tone, text, times }) => (
        <p key={id} class={`notice ${tone}`} onPointerEnter={() => notices.stay(id)} onPointerLeave={() => notices.leave(id)} onFocusIn={() => notices.stay(id)} onFocusOut={() => notices.leave(id)}>
          <span><Safe text={text} most={1000} />{times > 1 && <span class="badge">{times} times</span>}</span> <button type="button" class="quiet" aria-label="Dismiss" onClick={() => notices.dismiss(id)}>×</button>
        </p>
      ))}
    </div>
  );
}
