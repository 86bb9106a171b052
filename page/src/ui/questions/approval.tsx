// Approval of a call that no rule allows, and of a tool that changed.
import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { useSignal } from '@preact/signals';
import { print } from '../../json/lexemes.ts';
import { nodeOfText } from '../../json/node.ts';
import { DiffLines } from '../parts/diff.tsx';
import { NodeTree } from '../parts/json-tree.tsx';
import { Safe, SafeText } from '../parts/safe-text.tsx';
import { Scroller } from '../parts/scroller.tsx';
import { Asked, SeenHere, UntilSeen, useAnswer } from './asked.tsx';
import type { AskedProps } from './asked.tsx';

const reasons = {
  rule: 'A rule says that you are asked.',
  default: 'No rule allows this call.',
  destructive: 'The server says that this tool may destroy.',
  link: 'The arguments came with a link: read them before the first call.',
  file: 'The arguments came from a file: read them before the first call.',
  app: 'An app of this server asks for this call.',
  'changed-while-shown': 'The tool changed while you were asked. Look again.',
  'too-late': 'The last answer came too late. Look again.',
} as const;

export function Approval({ question, waiting }: AskedProps<'approval'>): JSX.Element {
  const answer = useAnswer(question);
  const reason = useSignal('');
  const seen = useSignal(false);
  const { tool, args, lexemes, annotations, annotated, trusted } = question;
  const node = useMemo(() => nodeOfText(print(args, lexemes)), [args]);
  // A rule that requires approval overrides a grant, so a grant would have no effect.
  const lasting = question.why !== 'rule';
  const refuse = (): void => answer({ kind: 'approval', allow: false, ...reason.value && { reason: reason.value } });
  const hints = [
    annotations.readOnlyHint ? ['changes nothing', 'good'] : annotations.destructiveHint ? ['may destroy', 'bad'] : ['changes something', 'warn'],
    annotations.idempotentHint ? ['again does nothing more', 'good'] : ['again may do it twice', ''],
    annotations.openWorldHint ? ['reaches the open world', ''] : ['stays inside', 'good'],
  ] as const;
  return (
    <Asked question={question} waiting={waiting} title={<>Run <code><Safe text={tool.name} /></code>?</>} onCancel={refuse}>
      <Scroller class="question-body" label="The question">
        {tool.description && <SafeText text={tool.description} class="message" />}
        <p class="row wrap">{hints.map(([words, tone]) => <span key={words} class={`badge ${tone}`}>{words}</span>)}</p>
        <p class="hint">{annotated
          ? trusted ? 'The server says so, and you trust its annotations.' : 'The server says so; you do not trust its annotations.'
          : 'The server does not say what this tool does, so the specification\u2019s defaults are assumed.'} {reasons[question.why]}</p>
        <div class="exact" role="group" aria-label="Exactly these arguments"><h3>Exactly these arguments</h3><NodeTree node={node} open={4} /></div>
        {lasting && <p class="hint">“For this session” and “Always” cover calls of this tool, as it is defined now, with any arguments.</p>}
        <SeenHere seen={seen} />
        <label class="field">Reason for a refusal <input type="text" value={reason.value} onInput={(event) => { reason.value = event.currentTarget.value; }} /></label>
      </Scroller>
      <footer class="dialog-foot">
        <button type="button" class="danger" onClick={refuse}>Refuse</button>
        <UntilSeen seen={seen} what="the call" hint="" />
        <span class="spring" />
        {lasting && <button type="button" disabled={!seen.value} onClick={() => answer({ kind: 'approval', allow: 'always' })}>Always</button>}
        {lasting && <button type="button" disabled={!seen.value} onClick={() => answer({ kind: 'approval', allow: 'session' })}>For this session</button>}
        <button type="button" class="primary" disabled={!seen.value} onClick={() => answer({ kind: 'approval', allow: 'once' })}>Once</button>
      </footer>
    </Asked>
  );
}

export function Change({ question, waiting }: AskedProps<'change'>): JSX.Element {
  const answer = useAnswer(question);
  const seen = useSignal(false);
  const { change } = question;
  const refuse = (): void => answer({ kind: 'change', accept: false });
  return (
    <Asked question={question} waiting={waiting} onCancel={refuse}
      title={change.kind === 'renamed' ? <><code><Safe text={change.formerly ?? ''} /></code> is now <code><Safe text={change.name} /></code></> : <><code><Safe text={change.name} /></code> is not what you accepted</>}>
      <Scroller class="question-body" label="The question">
        <p>Grants for the old definition do not apply to the new one. Read the difference before you accept it.</p>
        <DiffLines before={change.before} after={change.after} />
        <SeenHere seen={seen} />
      </Scroller>
      <footer class="dialog-foot">
        <UntilSeen seen={seen} what="the difference" hint="" />
        <span class="spring" />
        <button type="button" class="danger" onClick={refuse}>Do not accept</button>
        <button type="button" class="primary" disabled={!seen.value} onClick={() => answer({ kind: 'change', accept: true })}>Accept the current definition</button>
      </footer>
    </Asked>
  );
}
