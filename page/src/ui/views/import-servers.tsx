// Imports servers from another application. The files and their servers are shown before any is added.
import type { JSX } from 'preact';
import { useSignal } from '@preact/signals';
import type { ResultOf, Target } from '../../messages.ts';
import { useState } from '../context.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Safe } from '../parts/safe-text.tsx';

export function ImportServers({ onDone }: { readonly onDone: () => void }): JSX.Element {
  const state = useState();
  const applications = state.welcome.value?.features.imports ?? [];
  const from = useSignal('');
  const found = useSignal<ResultOf<'import.look'> | undefined>(undefined);
  const chosen = useSignal<ReadonlySet<string>>(new Set());
  const look = async (application: string): Promise<void> => {
    from.value = application;
    found.value = await state.run('import.look', { from: application });
    chosen.value = new Set(found.value?.entries.filter(({ taken }) => !taken).map(({ name }) => name));
  };
  const add = async (): Promise<void> => {
    if (await state.run('import.add', { from: from.value, names: [...chosen.value] }) !== null) return;
    const [first] = chosen.value;
    if (first !== undefined) state.visit(first);
    onDone();
  };
  const toggle = (name: string, on: boolean): void => { chosen.value = new Set([...chosen.value].filter((one) => one !== name).concat(on ? [name] : [])); };
  return (
    <Dialog title="Import servers" onCancel={onDone} wide>
      <div class="dialog-body">
        <div class="row wrap" role="group" aria-label="Application">{applications.map((one) => <button key={one} type="button" class="tab" aria-pressed={from.value === one} onClick={() => void look(one)}>{one}</button>)}</div>
        {found.value && <p>Read from {found.value.paths.map((path, at) => <span key={path}>{at > 0 && ', '}<code><Safe text={path} most={500} /></code></span>)}. Nothing is written there.</p>}
        {found.value?.entries.length === 0 && <p class="empty">There is no server in it.</p>}
        <ul class="plain">
          {found.value?.entries.map(({ name, target, taken }) => (
            <li key={name}>
              <label class="field inline"><input type="checkbox" disabled={taken} checked={chosen.value.has(name)} onChange={(event) => toggle(name, event.currentTarget.checked)} /><strong><Safe text={name} most={80} /></strong></label>
              <span class="dim">{taken ? 'a server of this name is here already' : <><code><Safe text={whereOf(target)} most={500} /></code> <Safe text={namesOf(target)} most={300} /></>}</span>
            </li>
          ))}
        </ul>
        <p class="hint">An added server does not start before you press Connect. <em>Keep …</em> in its overview writes it to the configuration.</p>
      </div>
      <footer class="dialog-foot">
        <span class="spring" />
        <button type="button" onClick={onDone}>Cancel</button>
        <button type="button" class="primary" disabled={chosen.value.size === 0} onClick={() => void add()}>Add {chosen.value.size === 1 ? '1 server' : `${chosen.value.size} servers`}</button>
      </footer>
    </Dialog>
  );
}

const whereOf = (target: Target): string => (target.kind === 'program' ? [target.command, ...target.args].join(' ') : target.kind === 'address' ? target.url : target.title);

/** The names of secret values; the values stay with the host. */
function namesOf(target: Target): string {
  if (target.kind === 'worker') return '';
  const [what, names] = target.kind === 'program' ? ['environment', target.env] as const : ['headers', target.headers] as const;
  return names.length === 0 ? '' : `${what}: ${names.join(', ')}`;
}
