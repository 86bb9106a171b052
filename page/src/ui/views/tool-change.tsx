// A tool that changed since it was accepted: the difference, and a button to accept it.
import type { JSX } from 'preact';
import type { ServerView, ToolView } from '../../messages.ts';
import { useState } from '../context.ts';
import { DiffLines } from '../parts/diff.tsx';
import { Safe } from '../parts/safe-text.tsx';

export function ToolChange({ server, tool: { change, tool } }: { readonly server: ServerView; readonly tool: ToolView }): JSX.Element | null {
  const state = useState();
  return change && (
    <section class="note" aria-label="Change">
      <p><strong>{change.kind === 'renamed' ? <>It was <code><Safe text={change.formerly ?? ''} /></code> when you accepted it.</> : 'It is not what you accepted.'}</strong></p>
      <DiffLines before={change.before} after={change.after} />
      <button type="button" class="small" onClick={() => void state.run('tool.accept', { server: server.name, name: tool.name })}>Accept the current definition</button>
    </section>
  );
}
