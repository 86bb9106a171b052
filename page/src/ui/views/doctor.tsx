import type { JSX } from 'preact';
import { useSignal } from '@preact/signals';
import type { FindingView, ServerView } from '../../messages.ts';
import { useState } from '../context.ts';
import { Head } from '../parts/controls.tsx';
import { levelTones } from '../parts/level-tones.ts';
import { Safe, SafeText } from '../parts/safe-text.tsx';
import { Section } from '../parts/section.tsx';


const plural = (count: number, word: string): string => `${count} ${word}${count === 1 ? '' : 's'}`;

/** Shows the doctor's findings about this server, the same as in the command. */
export function Doctor({ server }: { readonly server: ServerView }): JSX.Element {
  const state = useState();
  const busy = useSignal(false);
  const findings = state.findings.value.get(server.name) ?? [];
  const run = async (): Promise<void> => {
    busy.value = true;
    state.findings.value = new Map(state.findings.value).set(server.name, []);
    const done = await state.run('doctor.run', { server: server.name });
    if (done) state.findings.value = new Map(state.findings.value).set(server.name, done.findings);
    busy.value = false;
  };
  const count = (level: FindingView['level']): number => findings.filter((one) => one.level === level).length;
  return (
    <>
      <Head title="Doctor">
        <button type="button" class="primary" disabled={busy.value} onClick={() => void run()}>{busy.value ? 'Checking …' : 'Run check'}</button>
      </Head>
      <p class="hint">Opens a separate connection and checks whether the server follows the specification. It calls no tool.</p>
      <p role="status">{findings.length > 0 && `${plural(count('error'), 'error')}, ${plural(count('warning'), 'warning')}, ${plural(count('note'), 'note')}, ${count('ok')} ok`}</p>
      <ol class="findings">
        {findings.map((one, at) => (
          <li key={at} class={levelTones[one.level]}>
            <p><span class={`badge ${levelTones[one.level]}`}>{one.level}</span> <strong><Safe text={one.what} most={1000} /></strong></p>
            {one.advice && <p><Safe text={one.advice} most={1000} /></p>}
            {one.evidence && <SafeText text={one.evidence} class="result-text" />}
            <p class="dim row wrap">{one.code !== 'fact' && <code><Safe text={one.code} most={80} /></code>} {one.section && <Section section={one.section} />} {one.wire !== null && <button type="button" class="small" onClick={() => { if (one.wire !== null) state.showWire(one.wire); }}>On the wire</button>}</p>
          </li>
        ))}
      </ol>
    </>
  );
}
