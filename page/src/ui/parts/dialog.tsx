// The native <dialog> keeps the focus inside; Escape cancels.
import type { ComponentChildren, JSX } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';

interface Props {
  readonly title: ComponentChildren;
  /** The text above the title, such as the server that asks. */
  readonly from?: ComponentChildren;
  /** Called when the browser cancels the dialog, for example on Escape. */
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
      // Cancelling a file picker inside sends a `cancel` event too, which bubbles up to here.
      if (event.target !== event.currentTarget) return;
      event.preventDefault();
      onCancel();
    }} onClose={() => {
      // Some browsers close a dialog on a repeated Escape in any case; it is then shown again.
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
