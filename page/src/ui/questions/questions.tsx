// Questions to the person, one at a time, the oldest first, in a frame that names the server.
import type { JSX } from 'preact';
import { useId, useMemo } from 'preact/hooks';
import { useSignal } from '@preact/signals';
import type { QuestionView } from '../../messages.ts';
import { useState } from '../context.ts';
import { FormModel } from '../form/form-model.ts';
import { Missing } from '../form/missing-words.tsx';
import { SchemaForm } from '../form/schema-form.tsx';
import { Boundary } from '../parts/boundary.tsx';
import { late } from '../parts/late.tsx';
import { Safe } from '../parts/safe-text.tsx';
import { Scroller } from '../parts/scroller.tsx';
import { Asked, Message, UntilSeen, useAnswer } from './asked.tsx';
import type { AskedProps } from './asked.tsx';

// Less frequent than forms, so loaded at their first use.
const Approval = late(async () => (await import('./approval.tsx')).Approval);
const Change = late(async () => (await import('./approval.tsx')).Change);
const SamplingAnswer = late(async () => (await import('./sampling.tsx')).SamplingAnswer);
const SamplingRequest = late(async () => (await import('./sampling.tsx')).SamplingRequest);

/** Shows the oldest open question. */
export function Questions(): JSX.Element | null {
  const state = useState();
  const [first, ...rest] = [...state.questions.value.values()].sort((one, other) => one.askedAt - other.askedAt);
  return first ? <Boundary key={first.id} value={first}><Question question={first} waiting={rest.length} /></Boundary> : null;
}

function Question({ question, waiting }: { readonly question: QuestionView; readonly waiting: number }): JSX.Element {
  switch (question.kind) {
    case 'form': return <FormQuestion question={question} waiting={waiting} />;
    case 'url': return <UrlQuestion question={question} waiting={waiting} />;
    case 'sampling': return <SamplingRequest question={question} waiting={waiting} />;
    case 'sampling-answer': return <SamplingAnswer question={question} waiting={waiting} />;
    case 'approval': return <Approval question={question} waiting={waiting} />;
    case 'change': return <Change question={question} waiting={waiting} />;
  }
}

function FormQuestion({ question, waiting }: AskedProps<'form'>): JSX.Element {
  const answer = useAnswer(question);
  const { parts } = useState();
  const id = useId();
  const seen = useSignal(false);
  const form = useMemo(() => new FormModel({ ...question.schema }, { formats: parts.formats }), [question]);
  const end = (action: 'decline' | 'cancel'): void => answer({ kind: 'form', action });
  const accept = (): void => {
    if (!seen.peek() || !form.submit()) return;
    const { args, lexemes } = form.sent;
    answer({ kind: 'form', action: 'accept', content: args, ...lexemes && { lexemes } }, ({ failure }) => {
      form.refused.value = faultsOf(failure.data) ?? new Map([['', [failure.message]]]);
    });
  };
  return (
    <Asked question={question} waiting={waiting} title="The server wants to know" onCancel={() => end('cancel')}>
      <form noValidate onSubmit={(event) => { event.preventDefault(); accept(); }}>
        <Scroller class="question-body" label="The question">
          <Message text={question.message} seen={seen} />
          <SchemaForm form={form} legend="Answer" />
        </Scroller>
        <footer class="dialog-foot">
          <UntilSeen id={id} seen={seen} what="the message" hint={form.waits.value ? <Missing form={form} /> : <>Escape is <em>cancel</em>: no answer.</>} />
          <button type="button" onClick={() => end('cancel')}>Cancel</button>
          <button type="button" onClick={() => end('decline')}>Decline</button>
          <button type="submit" class={`primary ${form.waits.value ? 'unready' : ''}`} disabled={!seen.value} aria-describedby={id}>Accept</button>
        </footer>
      </form>
    </Asked>
  );
}

/** The faults that the host found, by path. */
function faultsOf(data: unknown): ReadonlyMap<string, readonly string[]> | undefined {
  const faults: unknown = (Object(data) as { faults?: unknown }).faults;
  if (!Array.isArray(faults)) return undefined;
  return new Map((faults as { path: string; what: string }[]).map(({ path, what }) => [path, [what]]));
}

function UrlQuestion({ question, waiting }: AskedProps<'url'>): JSX.Element {
  const answer = useAnswer(question);
  const seen = useSignal(false);
  const end = (action: 'accept' | 'decline' | 'cancel'): void => answer({ kind: 'url', action });
  // Checked again here, because this page opens it.
  const address = URL.canParse(question.url) ? new URL(question.url) : undefined;
  const ofWeb = address?.protocol === 'https:' || address?.protocol === 'http:';
  return (
    <Asked question={question} waiting={waiting} title="The server wants you to visit a page" onCancel={() => end('cancel')}>
      <Scroller class="question-body" label="The question">
        <Message text={question.message} seen={seen} />
        <p class="host-name">{ofWeb ? address.host : 'This is not an http or https address'}</p>
        <p class="url"><Safe text={question.url} most={4000} /></p>
        {address?.protocol === 'http:' && <p class="hint">The connection to this host is not encrypted.</p>}
        {/xn--/.test(address?.host ?? '') && <p class="problems">The host's name has letters beyond ASCII: it may only look like one that you know.</p>}
      </Scroller>
      <footer class="dialog-foot">
        <UntilSeen seen={seen} what="the message" hint="Nothing is opened before you press." />
        <button type="button" onClick={() => end('cancel')}>Cancel</button>
        <button type="button" onClick={() => end('decline')}>Decline</button>
        {ofWeb && !seen.value && <button type="button" class="primary" disabled>Open {address.host}</button>}
        {ofWeb && seen.value && <a class="button primary" href={address.href} target="_blank" rel="noopener noreferrer external" onClick={() => end('accept')}>Open {address.host}</a>}
      </footer>
    </Asked>
  );
}
