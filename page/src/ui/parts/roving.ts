// Makes a whole list one Tab stop: arrows, Home, End and the page keys move inside it.

/** Moves the focus among the elements of `list` that match `selector`. Returns whether the key was handled. */
export function moveFocus(event: KeyboardEvent, list: HTMLElement, selector: string): boolean {
  const all = [...list.querySelectorAll<HTMLElement>(selector)];
  const at = all.indexOf(document.activeElement as HTMLElement);
  if (at < 0) return false;
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: all.length - 1, PageDown: at + 10, PageUp: at - 10 }[event.key];
  if (to === undefined) return false;
  event.preventDefault();
  all[Math.min(Math.max(to, 0), all.length - 1)]?.focus();
  return true;
}
