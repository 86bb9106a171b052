// Whether other clients and model APIs accept a tool unchanged.
import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { examineTools } from 'barewire/doctor';
import type { ToolView } from '../../messages.ts';
import { Safe } from '../parts/safe-text.tsx';

/** The doctor's codes about schema and name. */
const concerns = /^(?:schema|name)-/;

export function Portability({ tool }: { readonly tool: ToolView['tool'] }): JSX.Element {
  const found = useMemo(() => examineTools([tool]).filter(({ code }) => concerns.test(code)), [tool]);
  if (found.length === 0) return <p class="hint">Name and schema are portable: nothing in them is refused by clients or model APIs that are known.</p>;
  return (
    <ul class="plain findings" aria-label="Portability">
      {found.map(({ code, what, todo }) => <li key={code} class="warn"><strong><Safe text={what.replace(/^1 of 1 tools: /, '')} most={500} /></strong> <span><Safe text={todo} most={500} /></span></li>)}
    </ul>
  );
}
