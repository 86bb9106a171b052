// The app of a tool (MCP Apps). It is shown on request of the person, after a call, in a sandbox on another site, with a log of its
// actions and of those that were refused.
import type { JSX } from 'preact';
import { useSignal } from '@preact/signals';
import type { AppView, CallView, ServerView, ToolView } from '../../messages.ts';
import { useState } from '../context.ts';
import { Safe } from '../parts/safe-text.tsx';
import { AppFrame } from './app-frame.tsx';

export function App({ server, view, calls }: { readonly server: ServerView; readonly view: ToolView; readonly calls: readonly CallView[] }): JSX.Element {
  const state = useState();
  const shown = useSignal<AppView | undefined>(undefined);
  const wrong = useSignal('');
  // The app is shown for the person's newest call; calls by the app itself do not count.
  const [call] = calls.filter(({ state: now, about }) => (now === 'running' || now === 'done') && about.kind === 'tool' && about.app !== true).sort((one, other) => other.call - one.call);
  const open = async (): Promise<void> => {
    if (!call) return;
    wrong.value = '';
    try {
      shown.value = await state.link.act('app.open', { call: call.call });
    } catch (thrown) {
      wrong.value = thrown instanceof Error ? thrown.message : String(thrown);
    }
  };
  const app = shown.value;
  return (
    <section class="section app" aria-label={`App of ${view.tool.name}`}>
      <div class="row wrap">
        <h3>App</h3>
        {!app && <button type="button" disabled={!call} onClick={() => void open()}>Show the app</button>}
        {!app && !call && <span class="dim">Call the tool first: the app shows its result.</span>}
      </div>
      {wrong.value && <p class="problems" role="alert">The app is not shown: <Safe text={wrong.value} most={500} /></p>}
      {app && <AppFrame key={app.app} server={server.name} view={app} onDone={() => { shown.value = undefined; }} />}
    </section>
  );
}
