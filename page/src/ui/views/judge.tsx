import type { JSX } from 'preact';
import { useSignal } from '@preact/signals';
import type { JudgementView, RulingView, ServerView } from '../../messages.ts';
import { useState } from '../context.ts';
import { duration, Head } from '../parts/controls.tsx';
import { Safe, SafeText } from '../parts/safe-text.tsx';
import { Section } from '../parts/section.tsx';

/** The lists in the order of the view, broken rules first. */
const lists = [
  ['MUST, broken', 'bad', (one) => one.verdict === 'broken' && one.level === 'MUST'],
  ['SHOULD, broken', 'warn', (one) => one.verdict === 'broken' && one.level === 'SHOULD'],
  ['In dispute', '', (one) => one.verdict === 'dispute'],
  ['Not seen', '', (one) => one.verdict === 'not-seen'],
  ['Kept', 'good', (one) => one.verdict === 'kept'],
  ['Not applicable', '', (one) => one.verdict === 'not-applicable'],
] as const satisfies readonly (readonly [title: string, tone: string, fits: (one: JudgementView) => boolean])[];

/** Shows the rules of the specification that this server breaks. */
export function Judge({ server }: { readonly server: ServerView }): JSX.Element {
  const state = useState();
  const thorough = useSignal(false);
  // The playground only has the rules of a quick run.
  const whole = state.welcome.value?.carrier !== 'playground';
  const { step = null, ruling = null } = state.judgings.value.get(server.name) ?? {};
  const where = server.target.kind === 'address' ? 'It calls no tool.' : 'It calls only tools that say that they only read.';
  return (
    <>
      <Head title="Judge">
        {whole && <label><input type="checkbox" checked={thorough.value} onChange={(event) => { thorough.value = event.currentTarget.checked; }} /> also what takes time</label>}
        <button type="button" class="primary" disabled={step !== null} onClick={() => void state.run('judge.run', { server: server.name, quick: !thorough.value })}>{step === null ? 'Judge this server' : 'Judging …'}</button>
      </Head>
      <p class="hint">Opens separate connections, sends messages with one fault each, and says which rules of the specification the server breaks. {where}{!whole && ' Here are the rules that a quick run over a pipe shows; the command "barewire judge" has all.'}</p>
      <p role="status">{step !== null ? <Safe text={step} most={200} /> : ruling && said(ruling)}</p>
      {ruling && <Ruling ruling={ruling} />}
    </>
  );
}

const count = ({ judgements }: RulingView, fits: (one: JudgementView) => boolean): number => judgements.filter(fits).length;

const said = (ruling: RulingView): string =>
  (ruling.stopped !== '' ? 'The server could not be judged.' : lists.map(([title, , fits]) => `${title}: ${count(ruling, fits)}`).join('; '));

function Ruling({ ruling }: { readonly ruling: RulingView }): JSX.Element {
  const { stopped, failures, revisions, ruleSet, ms, quick, judgements } = ruling;
  return (
    <>
      {stopped !== '' && <SafeText text={stopped} class="problems" />}
      {revisions.length > 0 && <p class="dim">{revisions.join(', ')}; rules {ruleSet}{quick && ', the quick ones'}; {duration(ms)}</p>}
      {failures.length > 0 && <p class="hint">Not tried: <Safe text={failures.join('; ')} most={2000} /></p>}
      {lists.map(([title, tone, fits]) => {
        const found = judgements.filter(fits);
        return found.length > 0 && (
          <details key={title} class="section" open={tone === 'bad' || tone === 'warn' || title === 'In dispute'}>
            <summary>{title} <span class="count">{found.length}</span></summary>
            <ol class="findings" aria-label={title}>{found.map((one) => <Judged key={one.rule} one={one} tone={tone} />)}</ol>
          </details>
        );
      })}
    </>
  );
}

function Judged({ one: { rule, text, level, section, why, evidence }, tone }: { readonly one: JudgementView; readonly tone: string }): JSX.Element {
  const state = useState();
  return (
    <li class={tone}>
      <p><span class={`badge ${tone}`}>{level}</span> <strong>{text}</strong></p>
      {why !== '' && <p><Safe text={why} most={1000} /></p>}
      {evidence.map(({ revision, expected, came, wire }) => (
        <div key={revision}>
          <p>Expected in {revision}: <Safe text={expected} most={1000} /></p>
          <SafeText text={came} class="result-text" label={`What came in ${revision}`} />
          <p>{wire > 0 && <button type="button" class="small" onClick={() => state.showWire(wire)}>On the wire</button>}</p>
        </div>
      ))}
      <p class="dim row wrap"><code>{rule}</code> {section && <Section section={section} />}</p>
    </li>
  );
}
