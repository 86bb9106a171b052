// JSON as a tree of native <details>, for keyboard and screen readers. Only open branches are rendered.
import { useMemo } from 'preact/hooks';
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { visible } from 'barewire/explain';
import { isRounded, nodeOfValue } from '../../json/node.ts';
import type { JsonNode } from '../../json/node.ts';
import { Safe, SafeText } from './safe-text.tsx';

/** Members that are rendered at first, and with each press of the button. */
const PIECE = 100;

interface Props {
  readonly node: JsonNode;
  readonly name?: string | undefined;
  /** The number of levels that are open at first. */
  readonly open?: number;
  /** The object has another member of this name. */
  readonly twice?: boolean;
}

/** The tree of a parsed value. */
export function JsonTree({ value, name, open }: { readonly value: unknown; readonly name?: string; readonly open?: number }): JSX.Element {
  const node = useMemo(() => nodeOfValue(value), [value]);
  return <NodeTree node={node} name={name} {...open !== undefined && { open }} />;
}

/** The tree of a node, with the original digits and duplicate members if the node has a text. */
export function NodeTree({ node, name, open = 2, twice = false }: Props): JSX.Element {
  if (node.kind === 'object' || node.kind === 'array') return <Branch node={node} name={name} open={open} twice={twice} />;
  const text = node.kind === 'string' ? node.text : '';
  return (
    <div class="tree-leaf">
      <Key name={name} twice={twice} />
      {text.length > 500 ? <SafeText text={text} class="tree-long" /> : <Scalar node={node} text={text} />}
    </div>
  );
}

function Branch({ node, name, open, twice }: Required<Props>): JSX.Element {
  const list = node.kind === 'array';
  const { size } = node;
  // A branch with many members is closed at first, because it would take too much space.
  const opened = useSignal(open > 0 && (size <= 30 || open > 1));
  const end = useSignal(PIECE);
  if (size === 0) {
    return (
      <div class="tree-leaf">
        <Key name={name} twice={twice} />
        <span class="dim">{list ? '[ ]' : '{ }'}</span>
      </div>
    );
  }
  return (
    <details class="tree" open={opened.value} onToggle={(event) => { opened.value = event.currentTarget.open; }}>
      <summary>
        <Key name={name} twice={twice} />
        <span class="dim">{list ? `[ ${size} ]` : opened.value ? '{' : `{ ${node.entries(0, 4).map((one) => visible(one.name.slice(0, 20))).join(', ')}${size > 4 ? ', …' : ''} }`}</span>
      </summary>
      {opened.value && (
        <div class="tree-members">
          {node.entries(0, end.value).map((one, at) => <NodeTree key={at} name={one.name} node={one.node} open={open - 1} twice={one.twice} />)}
          {size > end.value && (
            <button type="button" onClick={() => { end.value += PIECE; }}>{size - end.value} more</button>
          )}
        </div>
      )}
    </details>
  );
}

function Key({ name, twice }: { readonly name: string | undefined; readonly twice: boolean }): JSX.Element | null {
  if (name === undefined) return null;
  return <span class="tree-key"><Safe text={name} most={100} />:{twice && <span class="badge warn" title="JSON.parse keeps only the last of them">twice</span>}</span>;
}

function Scalar({ node, text }: { readonly node: JsonNode; readonly text: string }): JSX.Element {
  if (node.kind === 'string') return <span class="tree-string">"<Safe text={text} most={500} />"</span>;
  return (
    <span class={`tree-${node.kind}`}>
      <Safe text={node.lexeme} most={500} />{isRounded(node) && <span class="badge warn" title="JavaScript holds another number">rounded in JavaScript</span>}
    </span>
  );
}
