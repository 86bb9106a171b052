// Two JSON values, line by line.
import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { diffLines } from 'diff';
import { visible } from 'barewire/explain';

const print = (value: unknown): string => `${JSON.stringify(value, undefined, 2) ?? 'nothing'}\n`;
// Lines that are the same are shown only this near to one that is not.
const NEAR = 3;
/** What takes longer is not compared line by line. */
const maxMs = 500;

export function DiffLines({ before, after }: { readonly before: unknown; readonly after: unknown }): JSX.Element {
  const parts = useMemo(() => diffLines(print(before), print(after), { timeout: maxMs }), [before, after]);
  if (!parts) return <p class="dim">They are too large, or too different, to be compared line by line.</p>;
  if (parts.every(({ added, removed }) => !added && !removed)) return <p class="dim">They are the same.</p>;
  return (
    <div class="diff" role="region" tabIndex={0} aria-label="What is different">
      {parts.map(({ value, added, removed }, at) => {
        const lines = value.replace(/\n$/, '').split('\n');
        const same = !added && !removed;
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
