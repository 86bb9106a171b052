// Recordings: made here or loaded, replayed against a server, and compared.
import type { JSX } from 'preact';
import { useSignal } from '@preact/signals';
import type { DifferenceView, RecordingView, ReplayView } from '../../messages.ts';
import { useState } from '../context.ts';
import { characters, CopyButton, Empty } from '../parts/controls.tsx';
import { Safe, SafeText } from '../parts/safe-text.tsx';
import { save } from '../parts/save.ts';

interface Outcome {
  readonly title: string;
  readonly differences: readonly DifferenceView[];
  readonly transcript: string;
}

export function Recordings(): JSX.Element {
  const state = useState();
  const outcome = useSignal<Outcome | undefined>(undefined);
  const left = useSignal('');
  const right = useSignal('');
  const title = useSignal('');
  const recordings = [...state.recordings.value.values()];
  const load = async (file: File | undefined): Promise<void> => {
    if (file) await state.openWire(file);
  };
  const compare = async (): Promise<void> => {
    const found = await state.run('record.compare', { left: left.value, right: right.value });
    const name = (id: string): string => state.recordings.value.get(id)?.title ?? id;
    if (found) outcome.value = { title: `${name(left.value)} and ${name(right.value)}`, differences: found.differences, transcript: '' };
  };
  const start = async (): Promise<void> => {
    if (await state.run('record.start', { server: state.server.value, ...title.value && { title: title.value } })) title.value = '';
  };
  return (
    <div class="recordings">
      <div class="row wrap toolbar">
        <form class="row" onSubmit={(event) => { event.preventDefault(); void start(); }}>
          <input type="text" class="short" placeholder="title" aria-label="Title of the recording" value={title.value} onInput={(event) => { title.value = event.currentTarget.value; }} />
          <button type="submit" class="small" disabled={state.server.value === ''}>Record {state.server.value.slice(0, 40)}</button>
        </form>
        <label class="button small file">Load a transcript<input type="file" accept=".wire,.txt,text/plain" onChange={(event) => { void load(event.currentTarget.files?.[0]); event.currentTarget.value = ''; }} /></label>
      </div>
      {recordings.length === 0 && <Empty>A recording is a transcript: every message of a server, as text that can be kept, read, played again and compared.</Empty>}
      <ul class="plain">{recordings.map((one) => <Recording key={one.id} recording={one} onOutcome={(found) => { outcome.value = found; }} />)}</ul>
      {recordings.length > 1 && (
        <form class="row wrap" onSubmit={(event) => { event.preventDefault(); void compare(); }}>
          <Which label="One recording" recordings={recordings} value={left.value} onChange={(id) => { left.value = id; }} />
          <Which label="Another recording" recordings={recordings} value={right.value} onChange={(id) => { right.value = id; }} />
          <button type="submit" class="small" disabled={left.value === '' || right.value === ''}>Compare</button>
        </form>
      )}
      {outcome.value && <Differences outcome={outcome.value} />}
    </div>
  );
}

function Which({ label, recordings, value, onChange }: { readonly label: string; readonly recordings: readonly RecordingView[]; readonly value: string; readonly onChange: (id: string) => void }): JSX.Element {
  return (
    <select aria-label={label} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
      <option value="">{label.toLowerCase()}</option>
      {recordings.map(({ id, title }) => <option key={id} value={id}>{title}</option>)}
    </select>
  );
}

function Recording({ recording, onOutcome }: { readonly recording: RecordingView; readonly onOutcome: (outcome: Outcome) => void }): JSX.Element {
  const state = useState();
  const against = useSignal(state.server.value);
  const busy = useSignal(false);
  const { id, title } = recording;
  const text = async (): Promise<string | undefined> => (await state.run('record.text', { id }))?.text;
  const replay = async (): Promise<void> => {
    busy.value = true;
    const found: ReplayView | undefined = await state.run('record.replay', { id, server: against.value });
    busy.value = false;
    if (found) onOutcome({ title: `${title} against ${against.value}: ${found.played} messages played`, ...found });
  };
  return (
    <li class="recording">
      <p><strong><Safe text={title} most={100} /></strong> <span class={`badge ${recording.state === 'recording' ? 'live' : ''}`}>{recording.state}</span>
        <span class="dim"> {recording.messages} messages, {characters(recording.chars)}{recording.cut && ', cut: more passed than is held'}</span></p>
      <div class="row wrap">
        {recording.state === 'recording'
          ? <button type="button" class="small primary" onClick={() => void state.run('record.stop', { id })}>Stop</button>
          : (
            <>
              <select aria-label={`Server to play ${title} against`} value={against.value} onChange={(event) => { against.value = event.currentTarget.value; }}>
                {[...state.servers.value.keys()].map((name) => <option key={name}>{name}</option>)}
              </select>
              <button type="button" class="small" onClick={() => void state.openRecording(id)}>Open on the wire</button>
              <button type="button" class="small" disabled={busy.value} onClick={() => void replay()}>{busy.value ? 'Plays …' : 'Play again'}</button>
            </>
          )}
        <button type="button" class="small" onClick={() => void text().then((found) => { if (found !== undefined) save(`${title}.wire`, found); })}>Save</button>
        <CopyButton text={text} />
        <button type="button" class="small" onClick={() => void state.run('record.remove', { id })}>Remove</button>
      </div>
    </li>
  );
}

function Differences({ outcome }: { readonly outcome: Outcome }): JSX.Element {
  return (
    <section class="differences" aria-label="Differences">
      <h3><Safe text={outcome.title} /></h3>
      <p role="status">{outcome.differences.length === 0 ? 'No difference.' : `${outcome.differences.length} differences`}</p>
      <ol class="plain">{outcome.differences.slice(0, 200).map(({ at, what }, index) => <li key={index}>{at > 0 && <span class="badge">line {at}</span>} <code><Safe text={what} most={1000} /></code></li>)}</ol>
      {outcome.transcript && <details class="section"><summary>What came</summary><SafeText text={outcome.transcript} class="code" /></details>}
    </section>
  );
}
