// The browser's own <dialog>: it keeps the focus inside, and Escape asks to cancel.
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';

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
  useEffect(() => {
    const dialog = at.current;
    const before = document.activeElement;
    if (dialog && !dialog.open) dialog.showModal();
    return () => {
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
    }}>
      <header class="dialog-head">
        {from && <p class="from">{from}</p>}
        <h2 id={id}>{title}</h2>
      </header>
      {children}
    </dialog>
  );
}
