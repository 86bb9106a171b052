// Shared by all questions: the frame, the answer, and the parts that must be seen before an answer.
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef } from 'preact/hooks';
import { useSignal } from '@preact/signals';
import type { Signal } from '@preact/signals';
import type { Answer, QuestionView } from '../../messages.ts';
import { useState } from '../context.ts';
import { ActionError } from '../host-link.ts';
import { duration } from '../parts/controls.tsx';
import { Safe, SafeText } from '../parts/safe-text.tsx';

type QuestionOf<K extends QuestionView['kind']> = Extract<QuestionView, { kind: K }>;

export interface AskedProps<K extends QuestionView['kind']> {
  readonly question: QuestionOf<K>;
  readonly waiting: number;
}

/** The frame of every question. It covers the server's half, so that the wire next to it stays usable. */
export function Asked({ question, waiting, title, onCancel, children }: {
  readonly question: QuestionView; readonly waiting: number; readonly title: ComponentChildren; readonly onCancel: () => void;
  readonly children: ComponentChildren;
}): JSX.Element {
  const state = useState();
  const id = useId();
  const at = useRef<HTMLElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => {
    const before = document.activeElement;
    // Focuses the heading, not a button: keys typed for another field must not answer. A field of the wire keeps its focus.
    const writes = before instanceof HTMLElement && before.closest('.dock') !== null && before.matches('input:not([type="range"]), textarea, [contenteditable]');
    if (!writes && document.querySelector('dialog[open]') === null) heading.current?.focus({ preventScroll: true });
    return () => {
      const inside = at.current?.contains(document.activeElement) ?? false;
      // After the next rendering, because the covered half is inert until then.
      if (inside || document.activeElement === document.body) requestAnimationFrame(() => { if (before instanceof HTMLElement && before.isConnected) before.focus(); });
    };
  }, []);
  const ours = question.kind === 'approval' || question.kind === 'change';
  return (
    <section ref={at} class="question" role="dialog" aria-modal="false" aria-labelledby={id} onKeyDown={(event) => {
      if (event.key !== 'Escape' || event.defaultPrevented) return;
      event.preventDefault();
      onCancel();
    }}>
      <header class="dialog-head">
        <div class="from row wrap">
          <span>{ours ? <><span class="asker">barewire</span> asks before <Safe text={question.server} most={80} /> is called</> : <><Asking tools={question.tools ?? []} /><span class="asker"><Safe text={question.server} most={80} /></span> asks</>}</span>
          <span class="spring" />
          <Remaining until={question.until} />
          {waiting > 0 && <span class="badge">{waiting} more {waiting === 1 ? 'waits' : 'wait'}</span>}
          <button type="button" class="small" onClick={() => { state.later.value = true; }}>Later</button>
        </div>
        <h2 id={id} ref={heading} tabIndex={-1}>{title}</h2>
      </header>
      {children}
    </section>
  );
}

/** The tool that asks. A question does not name its call, so several running tools are all listed. */
function Asking({ tools }: { readonly tools: readonly string[] }): JSX.Element | null {
  return tools.length === 0 ? null : <>{tools.length === 1 ? 'The tool' : 'One of the tools'} <span class="asker"><Safe text={tools.join(', ')} /></span> of </>;
}

/** The time left for an answer. */
function Remaining({ until }: { readonly until: number | null }): JSX.Element | null {
  const now = useSignal(Date.now());
  useEffect(() => {
    const timer = setInterval(() => { now.value = Date.now(); }, 1_000);
    return () => clearInterval(timer);
  }, []);
  if (until === null) return null;
  const left = until - now.value;
  return <span class={`badge ${left < 30_000 ? 'warn' : ''}`} role="timer">{left > 0 ? `${duration(Math.ceil(left / 1_000) * 1_000)} left` : 'the time is over'}</span>;
}

/** A marker after content that must be seen: `seen` becomes true when the marker is visible. */
export function SeenHere({ seen }: { readonly seen: Signal<boolean> }): JSX.Element {
  const at = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    const found = at.current;
    if (!found || seen.peek()) return undefined;
    const observer = new IntersectionObserver((entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      seen.value = true;
      observer.disconnect();
    });
    observer.observe(found);
    return () => observer.disconnect();
  }, []);
  return <span ref={at} class="seen-here" aria-hidden="true" />;
}

/** The server's message to the person. It counts as read when its end was visible. */
export function Message({ text, seen }: { readonly text: string; readonly seen: Signal<boolean> }): JSX.Element {
  return <SafeText text={text} class="message" label="What the server says" end={<SeenHere seen={seen} />} />;
}

/** Says why the answer is not possible yet; later shows `hint` instead. */
export function UntilSeen({ id, seen, what, hint }: { readonly id?: string; readonly seen: Signal<boolean>; readonly what: string; readonly hint: ComponentChildren }): JSX.Element {
  return <span class="hint" role="status" id={id}>{seen.value ? hint : `Scroll ${what} to its end first.`}</span>;
}

/** Sends an answer. `onFault` gets an invalid answer's error; a question that is already closed only causes a notice. */
export function useAnswer(question: QuestionView): (answer: Answer, onFault?: (error: ActionError) => void) => void {
  const state = useState();
  return (answer, onFault) => {
    state.link.act('question.answer', { question: question.id, answer }).catch((thrown: unknown) => {
      if (!(thrown instanceof ActionError)) throw thrown;
      const { code } = thrown.failure;
      if (code === 'answered' || code === 'withdrawn') state.tell(`The question is closed: ${thrown.message}`);
      else if (onFault && code === 'bad-answer') onFault(thrown);
      else state.tell(thrown.message, 'bad');
    });
  };
}
