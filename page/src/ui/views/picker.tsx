// A list with a filter, next to the selected item.
import type { ComponentChildren, JSX } from 'preact';
import { useSignal } from '@preact/signals';
import { Empty } from '../parts/controls.tsx';
import { Icon } from '../parts/icon.tsx';
import { moveFocus } from '../parts/roving.ts';
import { Safe } from '../parts/safe-text.tsx';

export interface Picked {
  readonly key: string;
  readonly name: string;
  readonly title: string;
  readonly about: string;
  readonly icons?: readonly { readonly src: string }[] | undefined;
  readonly marks?: ComponentChildren;
  /** The name of the item's group. */
  readonly group?: string;
}

/** Items that are rendered at first; the filter finds the rest. */
const PIECE = 200;

export function Picker({ items, chosen, onPick, label, empty, children }: {
  readonly items: readonly Picked[]; readonly chosen: string; readonly onPick: (key: string) => void;
  readonly label: string; readonly empty: ComponentChildren; readonly children: ComponentChildren;
}): JSX.Element {
  const words = useSignal('');
  const end = useSignal(PIECE);
  const sought = words.value.toLowerCase();
  const found = sought === '' ? items : items.filter((item) => `${item.name} ${item.title} ${item.about}`.toLowerCase().includes(sought));
  // One item is the Tab stop: the selected one if it is shown, else the first.
  const shown = found.slice(0, end.value);
  const stop = shown.some(({ key }) => key === chosen) ? chosen : shown[0]?.key;
  let group: string | undefined;
  return (
    <div class="picker">
      <div class="picker-list">
        {items.length > 6 && <input type="search" placeholder={`Filter ${items.length} ${label.toLowerCase()}`} aria-label={`Filter ${label.toLowerCase()}`} value={words.value} onInput={(event) => { words.value = event.currentTarget.value; }} />}
        <ul aria-label={label} onKeyDown={(event) => { moveFocus(event, event.currentTarget, '.pick'); }}>
          {shown.map((item) => {
            const begins = item.group !== undefined && item.group !== group;
            group = item.group;
            return (
              <li key={item.key}>
                {begins && <p class="group-name">{item.group}</p>}
                <button type="button" class="pick" aria-current={item.key === chosen ? 'true' : undefined} tabIndex={item.key === stop ? 0 : -1} onClick={() => onPick(item.key)}>
                  <span class="pick-name"><Icon icons={item.icons} /><Safe text={item.title} most={80} />{item.marks}</span>
                  {item.about && <span class="pick-about"><Safe text={item.about} most={160} /></span>}
                </button>
              </li>
            );
          })}
        </ul>
        {found.length > end.value && <button type="button" class="small" onClick={() => { end.value += PIECE; }}>{found.length - end.value} more</button>}
        {items.length === 0 && <Empty>{empty}</Empty>}
        {items.length > 0 && found.length === 0 && <Empty>Nothing matches the filter.</Empty>}
      </div>
      {items.length > 0 && <div class="picker-detail">{children}</div>}
    </div>
  );
}
