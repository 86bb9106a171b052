// The browser's own <dialog>: it keeps the focus inside, and Escape asks to cancel.
import type { ComponentChildren, JSX } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';

interface Props {
  readonly title: ComponentChildren;
  /** Above the title: who asks. */
  readonly from?: ComponentChildren;
  /** Escape, or the page taking the dialog away by hand. */
  readonly onCancel: () => void;
  readonly children: ComponentChildren;
  readonly wide?: boolean;
}

export function Dialog({ title, from, onCancel, children, wide = false }: Props): JSX.Element {
  const at = useRef<HTMLDialogElement>(null);
  const id = useId();
  const shown = useRef(true);
  useLayoutEffect(() => {
    const dialog = at.current;
    const before = document.activeElement;
    if (dialog && !dialog.open) dialog.showModal();
    return () => {
      shown.current = false;
      dialog?.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return (
    <dialog ref={at} class={wide ? 'wide' : ''} aria-labelledby={id} onCancel={(event) => {
      // A file picker inside cancels too, and its event comes up here.
      if (event.target !== event.currentTarget) return;
      event.preventDefault();
      onCancel();
    }} onClose={() => {
      // A browser closes a dialog at some Escape, whatever the page says: while the question is open it comes back.
      if (shown.current) at.current?.showModal();
    }}>
      <div class="dialog-head">
        {from && <p class="from">{from}</p>}
        <h2 id={id}>{title}</h2>
      </div>
      {children}
    </dialog>
  );
}
