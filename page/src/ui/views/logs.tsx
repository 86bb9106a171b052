import type { JSX } from 'preact';
import { useSignal } from '@preact/signals';
import type { LoggingLevel } from 'barewire/protocol';
import type { LogView, ServerView } from '../../messages.ts';
import { useState } from '../context.ts';
import { clock, Empty, Head } from '../parts/controls.tsx';
import { Safe, SafeText } from '../parts/safe-text.tsx';

const levels: readonly LoggingLevel[] = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];
const MOST = 500;
/** Lines of stderr form a group: the greatest time between two lines, in milliseconds, and the most lines. */
const [AT_ONCE, TOGETHER] = [50, 40];

/** The logs of a server: log messages of the protocol, and lines of its stderr. */
export function Logs({ server }: { readonly server: ServerView }): JSX.Element {
  const state = useState();
  const least = useSignal<LoggingLevel>('debug');
  const words = useSignal('');
  const source = useSignal<'all' | LogView['source']>('all');
  const found = state.logs.value.filter((one) => one.server === server.name
    && (one.level === null || levels.indexOf(one.level) >= levels.indexOf(least.value))
    && (source.value === 'all' || one.source === source.value)
    && textOf(one).toLowerCase().includes(words.value.toLowerCase()));
  return (
    <>
      <Head title="Logs">
        <label>The server sends <select value={server.logLevel ?? ''} onChange={({ currentTarget: { value } }) => {
          const level = levels.find((one) => one === value);
          if (level) void state.run('server.logLevel', { server: server.name, level });
        }}>
          {server.logLevel === null && <option value="">the levels that it chooses</option>}
          {levels.map((one) => <option key={one} value={one}>{one} and above</option>)}
        </select></label>
        <button type="button" class="small" onClick={() => void state.run('log.clear', {}).then(() => { state.logs.value = []; })}>Clear</button>
      </Head>
      <div class="row wrap">
        <label>Level <select value={least.value} onChange={(event) => { least.value = levels.find((one) => one === event.currentTarget.value) ?? 'debug'; }}>{levels.map((one) => <option key={one} value={one}>{one} and above</option>)}</select></label>
        <label>Source <select value={source.value} onChange={(event) => { source.value = event.currentTarget.value as 'all' | LogView['source']; }}>
          <option value="all">protocol and stderr</option><option value="protocol">protocol</option><option value="stderr">stderr</option>
        </select></label>
        <input type="search" placeholder="Search" aria-label="Search in logs" value={words.value} onInput={(event) => { words.value = event.currentTarget.value; }} />
      </div>
      {found.length > MOST && <p class="dim">The last {MOST} of {found.length} lines.</p>}
      {found.length === 0 ? <Empty>Nothing was logged.</Empty> : (
        <ol class="log" aria-label="Log lines">
          {writtenAtOnce(found.slice(-MOST)).reverse().map(([one, ...more]) => (
            <li key={one.seq} class={`level-${one.level ?? 'stderr'}`}>
              <span class="dim">{clock(one.at)}</span> <span class="badge">{one.level ?? 'stderr'}</span> {one.logger && <code><Safe text={one.logger} most={60} /></code>}
              <SafeText text={[one, ...more].map(textOf).join('\n')} />
            </li>
          ))}
        </ol>
      )}
    </>
  );
}

const textOf = ({ data }: LogView): string => (typeof data === 'string' ? data : JSON.stringify(data) ?? '');

/** Groups lines of stderr that were written at once, such as a stack trace. */
function writtenAtOnce(lines: readonly LogView[]): [LogView, ...LogView[]][] {
  const groups: [LogView, ...LogView[]][] = [];
  for (const line of lines) {
    const group = groups.at(-1);
    const last = group?.at(-1);
    if (group && last && line.source === 'stderr' && last.source === 'stderr' && line.at - last.at < AT_ONCE && group.length < TOGETHER) group.push(line);
    else groups.push([line]);
  }
  return groups;
}
