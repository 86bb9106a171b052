// The activity log: each action, who decided, its duration, and its outcome.
import type { JSX } from 'preact';
import { useSignal } from '@preact/signals';
import type { ActivityView } from '../../messages.ts';
import { useState } from '../context.ts';
import { clock, duration, Empty } from '../parts/controls.tsx';
import { JsonTree } from '../parts/json-tree.tsx';
import { Safe } from '../parts/safe-text.tsx';
import { save } from '../parts/save.ts';

const MOST = 300;
const kinds: readonly ActivityView['kind'][] = ['server', 'asked', 'decided', 'sent', 'answered', 'failed', 'unknown', 'question', 'pin', 'roots', 'sampling'];
const bad: ReadonlySet<ActivityView['kind']> = new Set(['failed', 'unknown']);

export function Activity(): JSX.Element {
  const state = useState();
  const words = useSignal('');
  const kind = useSignal<'all' | ActivityView['kind']>('all');
  const server = useSignal('');
  const found = state.activity.value.filter((one) => (kind.value === 'all' || one.kind === kind.value) && (server.value === '' || one.server === server.value)
    && (words.value === '' || JSON.stringify(one).toLowerCase().includes(words.value.toLowerCase())));
  const all = async (): Promise<void> => {
    const got = await state.run('activity.export', {});
    if (got) save('activity.jsonl', got.text);
  };
  return (
    <div class="activity">
      <div class="row wrap toolbar">
        <input type="search" placeholder="Search" aria-label="Search the activity log" value={words.value} onInput={(event) => { words.value = event.currentTarget.value; }} />
        <select aria-label="Kind of activity" value={kind.value} onChange={(event) => { kind.value = event.currentTarget.value as typeof kind.value; }}>
          <option value="all">every kind</option>{kinds.map((one) => <option key={one}>{one}</option>)}
        </select>
        <select aria-label="Server of the activity" value={server.value} onChange={(event) => { server.value = event.currentTarget.value; }}>
          <option value="">every server</option>{[...state.servers.value.keys()].map((one) => <option key={one}>{one}</option>)}
        </select>
        <span class="spring" />
        <button type="button" class="small" onClick={() => void all()}>Export</button>
      </div>
      <Grants />
      {found.length === 0 && <Empty>Nothing has happened.</Empty>}
      <ol class="lines scroll" aria-label="Activity" tabIndex={0}>
        {found.slice(-MOST).reverse().map((one) => <Line key={one.seq} activity={one} />)}
      </ol>
      {found.length > MOST && <p class="dim">The last {MOST} of {found.length}; the export has all.</p>}
    </div>
  );
}

const text = (value: unknown): string => (typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value));

function Line({ activity }: { readonly activity: ActivityView }): JSX.Element {
  const opened = useSignal(false);
  const { seq, at, kind, server, tool, previous: _previous, ...rest } = activity;
  const ms = ['ms', 'tookMs', 'durationMs'].map((name) => rest[name]).find((one) => typeof one === 'number');
  const outcome = ['outcome', 'state', 'change', 'decision', 'allow', 'action', 'what', 'why'].filter((name) => rest[name] !== undefined).slice(0, 3);
  return (
    <li class={bad.has(kind) ? 'bad' : ''}>
      <details onToggle={(event) => { opened.value = event.currentTarget.open; }}>
        <summary>
          <span class="dim time">{clock(at)}</span> <span class="badge">{kind}</span> {server && <span class="asker"><Safe text={server} most={40} /></span>} {tool && <code><Safe text={tool} most={60} /></code>}
          {outcome.map((name) => <span key={name}> <span class="dim">{name}</span> <Safe text={text(rest[name])} most={100} /></span>)}
          {rest['by'] !== undefined && <span> <span class="dim">by</span> <Safe text={text(rest['by'])} most={60} /></span>}
          {typeof ms === 'number' && <span class="dim"> {duration(ms)}</span>}
        </summary>
        {opened.value && <JsonTree name={`line ${seq}`} value={rest} open={2} />}
      </details>
    </li>
  );
}

/** Permissions that last longer than one call, and can be revoked. */
function Grants(): JSX.Element {
  const state = useState();
  const grants = useSignal<readonly { readonly server: string; readonly tool: string; readonly at: number }[] | undefined>(undefined);
  const look = async (): Promise<void> => { grants.value = await state.run('grants.list', {}); };
  const revoke = async (server: string, tool: string): Promise<void> => {
    await state.run('grants.revoke', { server, tool });
    await look();
  };
  return (
    <details class="section" onToggle={(event) => { if (event.currentTarget.open) void look(); }}>
      <summary>Grants</summary>
      <ul class="plain">
        {grants.value?.map(({ server, tool, at }) => (
          <li key={`${server} ${tool} ${at}`} class="row"><code><Safe text={`${server}/${tool}`} /></code> <span class="dim">since {clock(at)}</span>
            <button type="button" class="small" onClick={() => void revoke(server, tool)}>Take back</button></li>
        ))}
        {grants.value?.length === 0 && <li class="dim">Nothing is allowed beyond one call.</li>}
      </ul>
    </details>
  );
}
