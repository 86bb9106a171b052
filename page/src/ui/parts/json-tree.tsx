// JSON as a tree of native <details>: opened by keyboard, read by screen readers, and drawn only where it is open.
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { visible } from 'barewire/explain';
import { Safe, SafeText } from './safe-text.tsx';

/** Members that are drawn at first, and with each press of the button. */
const PIECE = 100;

interface Props {
  readonly value: unknown;
  readonly name?: string;
  /** How many levels are open at first. */
  readonly open?: number;
}

export function JsonTree({ value, name, open = 2 }: Props): JSX.Element {
  if (typeof value === 'string' && value.length > 500) {
    return (
      <div class="tree-leaf">
        <Key name={name} />
        <SafeText text={value} class="tree-long" />
      </div>
    );
  }
  if (typeof value !== 'object' || value === null) {
    return (
      <div class="tree-leaf">
        <Key name={name} />
        <Scalar value={value} />
      </div>
    );
  }
  return <Branch value={value} name={name} open={open} />;
}

function Branch({ value, name, open }: { readonly value: object; readonly name: string | undefined; readonly open: number }): JSX.Element {
  const list = Array.isArray(value);
  const entries = Object.entries(value);
  const size = entries.length;
  // A wide branch is closed at first: it would push all else away.
  const opened = useSignal(open > 0 && (size <= 30 || open > 1));
  const end = useSignal(PIECE);
  if (size === 0) {
    return (
      <div class="tree-leaf">
        <Key name={name} />
        <span class="dim">{list ? '[ ]' : '{ }'}</span>
      </div>
    );
  }
  return (
    <details class="tree" open={opened.value} onToggle={(event) => { opened.value = event.currentTarget.open; }}>
      <summary>
        <Key name={name} />
        <span class="dim">{list ? `[ ${size} ]` : opened.value ? '{' : `{ ${entries.slice(0, 4).map(([key]) => visible(key.slice(0, 20))).join(', ')}${size > 4 ? ', …' : ''} }`}</span>
      </summary>
      {opened.value && (
        <div class="tree-members">
          {entries.slice(0, end.value).map(([key, one]) => <JsonTree key={key} name={key} value={one} open={open - 1} />)}
          {size > end.value && (
            <button type="button" onClick={() => { end.value += PIECE; }}>{size - end.value} more</button>
          )}
        </div>
      )}
    </details>
  );
}

function Key({ name }: { readonly name: string | undefined }): JSX.Element | null {
  return name === undefined ? null : <span class="tree-key"><Safe text={name} most={100} />:</span>;
}

function Scalar({ value }: { readonly value: unknown }): JSX.Element {
  if (typeof value === 'string') return <span class="tree-string">"<Safe text={value} most={500} />"</span>;
  return <span class={`tree-${value === null ? 'null' : typeof value}`}>{String(value)}</span>;
}
