import type { ComponentChildren, JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { useSignal } from '@preact/signals';

/** An area of limited height. It is a Tab stop only while it scrolls, so that the keyboard reaches all of its content. */
export function Scroller({ label, class: name, children }: { readonly label: string; readonly class: string; readonly children: ComponentChildren }): JSX.Element {
  const at = useRef<HTMLDivElement>(null);
  const scrolls = useSignal(false);
  useLayoutEffect(() => {
    const found = at.current;
    if (!found) return undefined;
    const look = (): void => { scrolls.value = found.scrollHeight > found.clientHeight + 1 || found.scrollWidth > found.clientWidth + 1; };
    // The content may grow while the area keeps its height.
    const observer = new ResizeObserver(look);
    for (const one of [found, ...found.children]) observer.observe(one);
    look();
    return () => observer.disconnect();
  });
  return <div ref={at} class={name} {...scrolls.value && { tabIndex: 0, role: 'group', 'aria-label': label }}>{children}</div>;
}
