// Compares two JSON values, or two texts, line by line.
import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { visible } from 'barewire/explain';
import { isJson, pretty } from '../../json/layout.ts';
import { lineDiff } from './line-diff.ts';

const print = (value: unknown): string => JSON.stringify(value, undefined, 2) ?? 'nothing';
/** JSON is laid out with its original tokens; any other text stays unchanged. */
const laidOut = (text: string): string => (isJson(text) ? pretty(text) : text);
// The unchanged lines that are shown before and after each change.
const NEAR = 3;

export function DiffLines({ before, after }: { readonly before: unknown; readonly after: unknown }): JSX.Element {
  const [one, other] = useMemo(() => [print(before), print(after)], [before, after]);
  return <Difference before={one} after={other} />;
}

/** Compares two texts as they were sent, including digits and duplicate members. */
export function DiffTexts({ before, after }: { readonly before: string; readonly after: string }): JSX.Element {
  const [one, other] = useMemo(() => [laidOut(before), laidOut(after)], [before, after]);
  return <Difference before={one} after={other} />;
}

function Difference({ before, after }: { readonly before: string; readonly after: string }): JSX.Element {
  const parts = useMemo(() => lineDiff(before, after), [before, after]);
  if (!parts) return <p class="dim">They are too large, or too different, to be compared line by line.</p>;
  if (parts.every(({ kind }) => kind === 'same')) return <p class="dim">They are the same.</p>;
  return (
    <div class="diff" role="group" tabIndex={0} aria-label="What is different">
      {parts.map(({ kind, lines }, at) => {
        const [same, added, removed] = [kind === 'same', kind === 'added', kind === 'removed'];
        const kept = same && lines.length > NEAR * 2 + 1
          ? [...at === 0 ? [] : lines.slice(0, NEAR), '⋯', ...at === parts.length - 1 ? [] : lines.slice(-NEAR)] : lines;
        return kept.map((line, index) => (
          <div key={`${at} ${index}`} class={added ? 'added' : removed ? 'removed' : ''}>
            <span aria-hidden="true">{added ? '+' : removed ? '−' : ' '}</span>
            <code>{!same && <span class="unseen">{added ? 'added: ' : 'removed: '}</span>}{visible(line)}</code>
          </div>
        ));
      })}
    </div>
  );
}
