// Small components that many views use.
import type { ComponentChildren, JSX } from 'preact';
import { useSignal } from '@preact/signals';
import { copy } from './save.ts';

/** A button that copies a text, and confirms it. */
export function CopyButton({ text, children = 'Copy' }: { readonly text: () => string | Promise<string | undefined>; readonly children?: ComponentChildren }): JSX.Element {
  const said = useSignal('');
  const press = async (): Promise<void> => {
    const found = await text();
    if (found === undefined) return;
    said.value = await copy(found) ? 'Copied' : 'The browser forbids it';
    setTimeout(() => { said.value = ''; }, 1500);
  };
  return <button type="button" class="small" aria-live="polite" onClick={() => void press()}>{said.value || children}</button>;
}

export interface TabItem<T extends string> {
  readonly id: T;
  readonly title: string;
  readonly count?: number;
}

/** Tabs with keyboard support: the arrow keys move; Home and End go to the first and the last. */
export function Tabs<T extends string>({ items, chosen, onChoose, label, controls }: {
  readonly items: readonly TabItem<T>[]; readonly chosen: T; readonly onChoose: (id: T) => void; readonly label: string; readonly controls: string;
}): JSX.Element {
  const move = (event: KeyboardEvent & { readonly currentTarget: HTMLElement }): void => {
    const at = items.findIndex(({ id }) => id === chosen);
    const to = event.key === 'ArrowRight' ? at + 1 : event.key === 'ArrowLeft' ? at - 1 : event.key === 'Home' ? 0 : event.key === 'End' ? items.length - 1 : undefined;
    if (to === undefined) return;
    event.preventDefault();
    const next = items[(to + items.length) % items.length];
    if (!next) return;
    onChoose(next.id);
    event.currentTarget.querySelector<HTMLElement>(`[data-tab="${next.id}"]`)?.focus();
  };
  return (
    <div class="tabs" role="tablist" aria-label={label} onKeyDown={move}>
      {items.map(({ id, title, count }) => (
        <button key={id} type="button" role="tab" class="tab" id={`${controls}-tab-${id}`} data-tab={id} aria-selected={id === chosen} aria-controls={controls} tabIndex={id === chosen ? 0 : -1} onClick={() => onChoose(id)}>
          {title}{count !== undefined && count > 0 && <span class="count">{count}</span>}
        </button>
      ))}
    </div>
  );
}

/** A heading with controls at its right. */
export function Head({ title, children }: { readonly title: ComponentChildren; readonly children?: ComponentChildren }): JSX.Element {
  return <div class="head"><h2>{title}</h2><div class="row">{children}</div></div>;
}

/** The text of an empty list or view. */
export function Empty({ children }: { readonly children: ComponentChildren }): JSX.Element {
  return <p class="empty">{children}</p>;
}

/** Names and values. */
export function Facts({ facts }: { readonly facts: readonly (readonly [string, ComponentChildren])[] }): JSX.Element {
  return (
    <dl class="facts">
      {facts.map(([name, value]) => <div key={name}><dt>{name}</dt><dd>{value}</dd></div>)}
    </dl>
  );
}

/** `12 ms`, `1.2 s`, `3 min 4 s`. */
export function duration(ms: number): string {
  if (ms < 1000) return `${ms < 10 ? Math.round(ms * 10) / 10 : Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.round(ms % 60_000 / 1000)} s`;
}

/** The time of the day, to the millisecond. */
export function clock(at: number): string {
  const date = new Date(at);
  const two = (part: number): string => String(part).padStart(2, '0');
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}.${String(date.getMilliseconds()).padStart(3, '0')}`;
}

/** `12,345 characters`: a text's length in JavaScript, which is not its size in bytes. */
export function characters(length: number): string {
  return `${length.toLocaleString('en')} ${length === 1 ? 'character' : 'characters'}`;
}

/** `512 B`, `1.2 KiB`, `3.4 MiB`. */
export function bytes(size: number): string {
  return size < 1024 ? `${size} B` : size < 1024 * 1024 ? `${(size / 1024).toFixed(1)} KiB` : `${(size / 1024 / 1024).toFixed(1)} MiB`;
}
