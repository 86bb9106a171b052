// What all questions share: the frame, the answer, and the JSON that is about to pass.
import type { ComponentChildren, JSX } from 'preact';
import type { Answer, QuestionView } from '../../messages.ts';
import { useState } from '../context.ts';
import { ActionError } from '../host-link.ts';
import { Dialog } from '../parts/dialog.tsx';
import { JsonTree } from '../parts/json-tree.tsx';
import { Safe } from '../parts/safe-text.tsx';

type QuestionOf<K extends QuestionView['kind']> = Extract<QuestionView, { kind: K }>;

export interface AskedProps<K extends QuestionView['kind']> {
  readonly question: QuestionOf<K>;
  readonly waiting: number;
}

/** The frame of every question. */
export function Asked({ question, waiting, title, onCancel, wide, children }: {
  readonly question: QuestionView; readonly waiting: number; readonly title: ComponentChildren; readonly onCancel: () => void;
  readonly wide?: boolean; readonly children: ComponentChildren;
}): JSX.Element {
  return (
    <Dialog title={title} wide={wide ?? false} onCancel={onCancel}
      from={<><span class="asker"><Safe text={question.server} most={80} /></span> asks{waiting > 0 && <span class="badge">{waiting} more {waiting === 1 ? 'waits' : 'wait'}</span>}</>}>
      {children}
    </Dialog>
  );
}

/** Sends an answer. What is wrong with it is handed to `onFault`; a question that is closed already is no fault. */
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

/** The exact JSON that is about to pass. */
export function Exact({ value, title }: { readonly value: unknown; readonly title: string }): JSX.Element {
  return <section class="exact" aria-label={title}><h3>{title}</h3><JsonTree value={value} open={4} /></section>;
}
