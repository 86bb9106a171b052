// Shows a text of a result: unchanged, as JSON if it is JSON, or as Markdown if it looks like Markdown.
import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { useSignal } from '@preact/signals';
import { isJson, pretty } from '../../json/layout.ts';
import { useState } from '../context.ts';
import { CopyButton } from './controls.tsx';
import { SafeText } from './safe-text.tsx';

/** Longer texts are only shown unchanged. */
const MAX_LAID_OUT = 1_000_000;
const MAX_MARKDOWN = 200_000;

/** A line that begins like a heading, list, quotation, table or fence, or bold text or a link within a line. */
const markdown = /^ {0,3}(?:#{1,6} |[-*+] |\d{1,9}[.)] |> |```|\|.*\|)|\*\*[^*\n]{1,200}\*\*|\]\(/m;

type Face = 'text' | 'json' | 'markdown';
const titles: Readonly<Record<Face, string>> = { text: 'Text', json: 'JSON', markdown: 'Markdown' };

export function TextBlock({ text, label = 'Text' }: { readonly text: string; readonly label?: string }): JSX.Element {
  const { parts: { Markdown } } = useState();
  const faces = useMemo(() => facesOf(text, Markdown !== undefined), [text]);
  const face = useSignal<Face>(faces[0] ?? 'text');
  const copying = text !== '' && <CopyButton text={() => text} />;
  if (faces.length === 1) return <div class="text-block one"><SafeText text={text} class="result-text" label={label} />{copying}</div>;
  return (
    <div class="text-block">
      <div class="row text-faces">
        {faces.map((one) => (
          <button key={one} type="button" class="tab" aria-pressed={face.value === one} onClick={() => { face.value = one; }}>{titles[one]}</button>
        ))}
        <span class="spring" />
        {copying}
      </div>
      {face.value === 'markdown' && Markdown ? <Markdown text={text} /> : <SafeText text={face.value === 'json' ? pretty(text) : text} class="result-text" label={label} />}
    </div>
  );
}

function facesOf(text: string, canMarkdown: boolean): readonly Face[] {
  if (text.length <= MAX_LAID_OUT && /^\s*[[{]/.test(text) && isJson(text)) return ['json', 'text'];
  return canMarkdown && text.length <= MAX_MARKDOWN && markdown.test(text) ? ['text', 'markdown'] : ['text'];
}
