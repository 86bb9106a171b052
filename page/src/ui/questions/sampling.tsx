// A sampling request: it can be read, edited, answered by hand or refused. Also the model's answer, before it is sent.
import type { JSX } from 'preact';
import { useSignal } from '@preact/signals';
import type { CreateMessageRequestParams, CreateMessageResult } from 'barewire/protocol';
import { Media } from '../parts/content.tsx';
import { Facts } from '../parts/controls.tsx';
import { JsonTree } from '../parts/json-tree.tsx';
import { Safe, SafeText } from '../parts/safe-text.tsx';
import { Scroller } from '../parts/scroller.tsx';
import { Asked, SeenHere, UntilSeen, useAnswer } from './asked.tsx';
import type { AskedProps } from './asked.tsx';

export function SamplingRequest({ question, waiting }: AskedProps<'sampling'>): JSX.Element {
  const answer = useAnswer(question);
  const { params, hasModel } = question;
  const edited = useSignal(JSON.stringify(params, undefined, 2));
  const editing = useSignal(false);
  const fault = useSignal('');
  const reply = useSignal('');
  const reason = useSignal('');
  const byHand = useSignal(!hasModel);
  const seen = useSignal(false);

  const refuse = (): void => answer({ kind: 'sampling', allow: false, ...reason.value && { reason: reason.value } });
  const send = (): void => {
    try {
      const now = editing.value ? JSON.parse(edited.value) as CreateMessageRequestParams : undefined;
      answer({
        kind: 'sampling', allow: true, ...now && { params: now },
        ...byHand.value && { byHand: { role: 'assistant', content: { type: 'text', text: reply.value }, model: 'person', stopReason: 'endTurn' } satisfies CreateMessageResult },
      }, (error) => { fault.value = error.message; });
    } catch (thrown) {
      fault.value = thrown instanceof Error ? thrown.message : 'this is not JSON';
    }
  };
  return (
    <Asked question={question} waiting={waiting} title="The server wants a model to be asked" onCancel={refuse}>
      <Scroller class="question-body" label="The question">
        <Facts facts={factsOf(params)} />
        {editing.value
          ? <label class="field">The request as JSON<textarea class="code" rows={12} spellcheck={false} value={edited.value} onInput={(event) => { edited.value = event.currentTarget.value; fault.value = ''; }} /></label>
          : <Said params={params} />}
        <SeenHere seen={seen} />
        {!editing.value && <button type="button" class="small" onClick={() => { editing.value = true; }}>Edit the request</button>}
        {hasModel && (
          <div class="radios">
            <label><input type="radio" name={question.id} checked={!byHand.value} onChange={() => { byHand.value = false; }} />The model answers; you see its answer before it is sent</label>
            <label><input type="radio" name={question.id} checked={byHand.value} onChange={() => { byHand.value = true; }} />You answer by hand</label>
          </div>
        )}
        {byHand.value && <label class="field">Your answer<textarea rows={4} value={reply.value} onInput={(event) => { reply.value = event.currentTarget.value; }} /></label>}
        <label class="field">Reason for a refusal <input type="text" value={reason.value} onInput={(event) => { reason.value = event.currentTarget.value; }} /></label>
        {fault.value && <p class="problems" role="alert">{fault.value}</p>}
      </Scroller>
      <footer class="dialog-foot">
        <UntilSeen seen={seen} what="the request" hint="Escape refuses." />
        <button type="button" class="danger" onClick={refuse}>Refuse</button>
        <button type="button" class="primary" disabled={!seen.value || byHand.value && reply.value === ''} onClick={send}>{byHand.value ? 'Look at the answer' : 'Ask the model'}</button>
      </footer>
    </Asked>
  );
}

function factsOf(params: CreateMessageRequestParams): readonly (readonly [string, string])[] {
  const { modelPreferences: wish, maxTokens, temperature, stopSequences, includeContext } = params;
  const share = (part: number | undefined): string => (part === undefined ? '' : `${Math.round(part * 100)} %`);
  const facts: readonly (readonly [string, string])[] = [
    ['Models', (wish?.hints ?? []).map(({ name }) => name ?? '').filter(Boolean).join(', ')],
    ['Intelligence', share(wish?.intelligencePriority)], ['Speed', share(wish?.speedPriority)], ['Cost', share(wish?.costPriority)],
    ['Most tokens', String(maxTokens)], ['Temperature', temperature === undefined ? '' : String(temperature)],
    ['Stops at', (stopSequences ?? []).join(' ')], ['Context', includeContext ?? ''],
  ];
  return facts.filter(([, value]) => value !== '').map(([name, value]) => [name, value.slice(0, 200)]);
}

function Said({ params }: { readonly params: CreateMessageRequestParams }): JSX.Element {
  return (
    <>
      {params.systemPrompt && <div class="said"><p class="dim">system</p><SafeText text={params.systemPrompt} /></div>}
      {params.messages.map(({ role, content }, at) => (
        <div class={`said ${role === 'assistant' ? 'assistant' : ''}`} key={at}>
          <p class="dim"><Safe text={String(role)} most={30} /></p>
          <Parts content={content} />
        </div>
      ))}
      {params.tools && <JsonTree name="tools" value={params.tools} open={1} />}
    </>
  );
}

function Parts({ content }: { readonly content: unknown }): JSX.Element {
  const parts: readonly unknown[] = Array.isArray(content) ? content : [content];
  return (
    <>
      {parts.map((part, at) => {
        const { type, text, data, mimeType } = Object(part) as { type?: unknown; text?: unknown; data?: unknown; mimeType?: unknown };
        if (type === 'text' && typeof text === 'string') return <SafeText key={at} text={text} />;
        if ((type === 'image' || type === 'audio') && typeof data === 'string') return <Media key={at} data={data} mimeType={typeof mimeType === 'string' ? mimeType : undefined} />;
        return <JsonTree key={at} value={part} open={1} />;
      })}
    </>
  );
}

export function SamplingAnswer({ question, waiting }: AskedProps<'sampling-answer'>): JSX.Element {
  const answer = useAnswer(question);
  const { content } = question.answer;
  const plain = !Array.isArray(content) && content.type === 'text' ? content.text : undefined;
  const edited = useSignal(plain ?? JSON.stringify(question.answer, undefined, 2));
  const fault = useSignal('');
  const refuse = (): void => answer({ kind: 'sampling-answer', allow: false });
  const send = (): void => {
    try {
      const now = plain === undefined ? JSON.parse(edited.value) as CreateMessageResult : { ...question.answer, content: { type: 'text', text: edited.value } } satisfies CreateMessageResult;
      const changed = plain === undefined ? JSON.stringify(now) !== JSON.stringify(question.answer) : edited.value !== plain;
      answer({ kind: 'sampling-answer', allow: true, ...changed && { answer: now } }, (error) => { fault.value = error.message; });
    } catch (thrown) {
      fault.value = thrown instanceof Error ? thrown.message : 'this is not JSON';
    }
  };
  return (
    <Asked question={question} waiting={waiting} title="This answer goes to the server" onCancel={refuse}>
      <Scroller class="question-body" label="The question">
        <Facts facts={[['Model', <Safe text={String(question.answer.model)} />], ['Stopped', <Safe text={question.answer.stopReason ?? 'not said'} />]]} />
        <label class="field">{plain === undefined ? 'The answer as JSON' : 'The answer'}
          <textarea class={plain === undefined ? 'code' : ''} rows={8} value={edited.value} onInput={(event) => { edited.value = event.currentTarget.value; fault.value = ''; }} />
        </label>
        {fault.value && <p class="problems" role="alert">{fault.value}</p>}
      </Scroller>
      <footer class="dialog-foot">
        <span class="hint">Nothing was sent yet.</span>
        <button type="button" class="danger" onClick={refuse}>Refuse</button>
        <button type="button" class="primary" onClick={send}>Send it</button>
      </footer>
    </Asked>
  );
}
