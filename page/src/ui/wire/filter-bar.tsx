// The filter of the wire: an expression with completion, kinds, directions, a server; and saved expressions.
import type { JSX } from 'preact';
import { useId } from 'preact/hooks';
import { useSignal } from '@preact/signals';
import { useState } from '../context.ts';
import { completions, readFilter } from './filter-language.ts';
import { savedFilters } from './saved-filters.ts';
import { everyServer, noFilter } from './wire-store.ts';
import type { WireFilter } from './wire-store.ts';

const syntax = 'Words, or such as: method == tools/call && ms > 100 && error';

export function FilterBar(): JSX.Element {
  const state = useState();
  const { wire } = state;
  const id = useId();
  const saved = useSignal(savedFilters.read());
  void wire.version.value;
  const filter = wire.filter.value;
  const { words } = filter;
  const set = (change: Partial<WireFilter>): void => wire.setFilter({ ...filter, ...change });
  const read = readFilter(words, () => '');
  const kept = saved.value.includes(words);
  const others = [...new Set([...state.servers.value.keys(), ...wire.servers])].filter((name) => name !== wire.chosen.value);
  return (
    <>
      <input type="search" placeholder="Filter" aria-label="Search the wire" title={syntax} list={`${id}list`} spellcheck={false} autocomplete="off" value={words}
        aria-invalid={!read.ok} aria-describedby={read.ok ? undefined : `${id}why`} onInput={(event) => set({ words: event.currentTarget.value })} />
      <datalist id={`${id}list`}>{[...saved.value, ...completions(words, wire.methods, wire.servers)].map((one) => <option key={one} value={one} />)}</datalist>
      {words !== '' && read.ok && <button type="button" class="quiet" aria-pressed={kept} aria-label="Keep this filter" title="Kept filters are suggested" onClick={() => { saved.value = savedFilters.toggle(words); }}>{kept ? '★' : '☆'}</button>}
      <select aria-label="Which messages" value={filter.kinds} onChange={(event) => set({ kinds: event.currentTarget.value as WireFilter['kinds'] })}>
        <option value="all">everything</option><option value="messages">messages</option><option value="errors">errors</option><option value="http">HTTP</option>
      </select>
      <select aria-label="Direction" value={filter.direction} onChange={(event) => set({ direction: event.currentTarget.value as WireFilter['direction'] })}>
        <option value="both">both ways</option><option value="sent">sent →</option><option value="received">received ←</option>
      </select>
      {(others.length > 0 || filter.server !== '') && (
        <select aria-label="Server on the wire" value={filter.server} onChange={({ currentTarget: { value } }) => set({ server: value })}>
          <option value="">{wire.chosen.value || 'the server'}</option><option value={everyServer}>every server</option>{others.map((name) => <option key={name} value={name}>{name}</option>)}
        </select>
      )}
      {filter !== noFilter && <button type="button" class="quiet" aria-label="Lift the filter" onClick={() => wire.setFilter(noFilter)}>×</button>}
      {!read.ok && <span id={`${id}why`} class="problems filter-why" role="status">{read.why}</span>}
    </>
  );
}
