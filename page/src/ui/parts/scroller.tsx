import type { ComponentChildren, JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { useSignal } from '@preact/signals';

/** A place of limited height. Only where it scrolls is it a stop of the Tab key, so that the keyboard reaches all of it. */
export function Scroller({ label, class: name, children }: { readonly label: string; readonly class: string; readonly children: ComponentChildren }): JSX.Element {
  const at = useRef<HTMLDivElement>(null);
  const scrolls = useSignal(false);
  useLayoutEffect(() => {
    const found = at.current;
    if (!found) return undefined;
    const look = (): void => { scrolls.value = found.scrollHeight > found.clientHeight + 1 || found.scrollWidth > found.clientWidth + 1; };
    // What it holds may grow while the place itself stays as high as it may be.
    const observer = new ResizeObserver(look);
    for (const one of [found, ...found.children]) observer.observe(one);
    look();
    return () => observer.disconnect();
  });
  return <div ref={at} class={name} {...scrolls.value && { tabIndex: 0, role: 'group', 'aria-label': label }}>{children}</div>;
}
