// Renders foreign Markdown as elements. Its HTML stays text, nothing is fetched, and links cannot be followed.
import type { ComponentChildren, JSX } from 'preact';
import { h } from 'preact';
import { useMemo } from 'preact/hooks';
import type { Nodes, Parents } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmTableFromMarkdown } from 'mdast-util-gfm-table';
import { gfmTable } from 'micromark-extension-gfm-table';
import { Safe } from './safe-text.tsx';
import { Scroller } from './scroller.tsx';

/** The greatest depth and number of nodes; the rest is omitted. */
const MAX_DEPTH = 30;
const MAX_NODES = 20_000;

export function Markdown({ text }: { readonly text: string }): JSX.Element {
  const drawn = useMemo(() => {
    let left = MAX_NODES;
    const draw = (node: Nodes, depth: number): ComponentChildren => {
      if (--left < 0 || depth > MAX_DEPTH) return '…';
      return elementOf(node, 'children' in node ? inside(node, depth, draw) : []);
    };
    return draw(fromMarkdown(text, { extensions: [gfmTable()], mdastExtensions: [gfmTableFromMarkdown()] }), 0);
  }, [text]);
  return <Scroller class="text markdown result-text" label="Markdown">{drawn}</Scroller>;
}

function inside(node: Parents, depth: number, draw: (node: Nodes, depth: number) => ComponentChildren): ComponentChildren[] {
  return node.children.map((one) => draw(one, depth + 1));
}

/** Headings of the text begin below the page's own headings. */
const heading = (depth: number): string => `h${Math.min(depth + 3, 6)}`;

function elementOf(node: Nodes, children: ComponentChildren[]): ComponentChildren {
  switch (node.type) {
    case 'text': return <Safe text={node.value} most={20_000} />;
    case 'paragraph': return h('p', null, ...children);
    case 'heading': return h(heading(node.depth), null, ...children);
    case 'emphasis': return h('i', null, ...children);
    case 'strong': return h('b', null, ...children);
    case 'inlineCode': return <code><Safe text={node.value} most={20_000} /></code>;
    case 'code': return <pre class="code"><Safe text={node.value} most={200_000} /></pre>;
    case 'blockquote': return h('blockquote', null, ...children);
    case 'list': return h(node.ordered ? 'ol' : 'ul', { class: 'listed' }, ...children);
    case 'listItem': return h('li', null, ...children);
    case 'thematicBreak': return <hr />;
    case 'break': return <br />;
    case 'table': return <table>{children}</table>;
    case 'tableRow': return h('tr', null, ...children);
    case 'tableCell': return h('td', null, ...children);
    // A link shows its target but cannot be followed; an image shows its alternative text.
    case 'link': return <>{children} <code class="dim"><Safe text={node.url} most={500} /></code></>;
    case 'image': return <>[<Safe text={node.alt ?? 'picture'} />] <code class="dim"><Safe text={node.url} most={500} /></code></>;
    case 'linkReference': case 'root': return <>{children}</>;
    case 'imageReference': return <>[<Safe text={node.alt ?? 'picture'} />]</>;
    // HTML is shown as text.
    case 'html': return <code><Safe text={node.value} most={20_000} /></code>;
    default: return null;
  }
}
