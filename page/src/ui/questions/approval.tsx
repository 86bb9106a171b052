// A call that no rule allows, and a tool that is not what it was.
import type { JSX } from 'preact';
import { useSignal } from '@preact/signals';
import { DiffLines } from '../parts/diff.tsx';
import { Safe, SafeText } from '../parts/safe-text.tsx';
import { Asked, Exact, useAnswer } from './asked.tsx';
import type { AskedProps } from './asked.tsx';

const reasons = {
  rule: 'A rule says that you are asked.',
  default: 'No rule allows this call.',
  'changed-while-shown': 'The tool changed while you were asked. Look again.',
  'too-late': 'The last answer came too late. Look again.',
} as const;

export function Approval({ question, waiting }: AskedProps<'approval'>): JSX.Element {
  const answer = useAnswer(question);
  const reason = useSignal('');
  const { tool, args, annotations, trusted } = question;
  const refuse = (): void => answer({ kind: 'approval', allow: false, ...reason.value && { reason: reason.value } });
  const hints = [
    annotations.readOnlyHint ? ['changes nothing', 'good'] : annotations.destructiveHint ? ['may destroy', 'bad'] : ['changes something', 'warn'],
    annotations.idempotentHint ? ['again does nothing more', 'good'] : ['again may do it twice', ''],
    annotations.openWorldHint ? ['reaches the open world', ''] : ['stays inside', 'good'],
  ] as const;
  return (
    <Asked question={question} waiting={waiting} title={<>Run <code><Safe text={tool.name} /></code>?</>} onCancel={refuse}>
      <div class="dialog-body">
        {tool.description && <SafeText text={tool.description} class="message" />}
        <p class="row wrap">{hints.map(([words, tone]) => <span key={words} class={`badge ${tone}`}>{words}</span>)}</p>
        <p class="hint">{trusted ? 'You said that this server\u2019s own word may be believed.' : 'These are the server\u2019s own words; you have not said that they may be believed.'} {reasons[question.why]}</p>
        <Exact value={args} title="Exactly these arguments" />
        <label class="field">Reason, where you refuse <input type="text" value={reason.value} onInput={(event) => { reason.value = event.currentTarget.value; }} /></label>
      </div>
      <footer class="dialog-foot">
        <button type="button" class="danger" onClick={refuse}>Refuse</button>
        <span class="spring" />
        <button type="button" onClick={() => answer({ kind: 'approval', allow: 'always' })}>Always</button>
        <button type="button" onClick={() => answer({ kind: 'approval', allow: 'session' })}>For this session</button>
        <button type="button" class="primary" autofocus onClick={() => answer({ kind: 'approval', allow: 'once' })}>Once</button>
      </footer>
    </Asked>
  );
}

export function Change({ question, waiting }: AskedProps<'change'>): JSX.Element {
  const answer = useAnswer(question);
  const { change } = question;
  const refuse = (): void => answer({ kind: 'change', accept: false });
  return (
    <Asked question={question} waiting={waiting} wide onCancel={refuse}
      title={change.kind === 'renamed' ? <><code><Safe text={change.formerly ?? ''} /></code> is now <code><Safe text={change.name} /></code></> : <><code><Safe text={change.name} /></code> is not what you accepted</>}>
      <div class="dialog-body">
        <p>Grants for what it was do not hold for what it is. Read what is different before you accept it.</p>
        <DiffLines before={change.before} after={change.after} />
      </div>
      <footer class="dialog-foot">
        <span class="spring" />
        <button type="button" class="danger" onClick={refuse}>Do not accept</button>
        <button type="button" class="primary" onClick={() => answer({ kind: 'change', accept: true })}>Accept it as it is now</button>
      </footer>
    </Asked>
  );
}
