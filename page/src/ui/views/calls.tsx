// Running and ended calls, the newest first, with progress, cancellation and result.
import type { JSX } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { useSignal } from '@preact/signals';
import type { JsonSchema } from 'barewire/schema';
import { print } from '../../json/lexemes.ts';
import { nodeOfText } from '../../json/node.ts';
import type { CallView, ProgressView } from '../../messages.ts';
import { useState } from '../context.ts';
import { withoutSecrets } from '../form/secrets.ts';
import { Boundary } from '../parts/boundary.tsx';
import { CallResult } from '../parts/result.tsx';
import { clock } from '../parts/controls.tsx';
import { intoView } from '../parts/into-view.ts';
import { NodeTree } from '../parts/json-tree.tsx';
import { Safe } from '../parts/safe-text.tsx';
import type { State } from '../state.ts';
import { hasFailed } from '../wire/shared-call.ts';
import { Took } from './took.tsx';

const MOST = 20;

/** `again`: repeats the call with the same arguments. `use`: puts them into the form. */
export interface CallReuse {
  again(call: CallView): void;
  use(call: CallView): void;
}

export function Calls({ calls, label, reuse }: { readonly calls: readonly CallView[]; readonly label: string; readonly reuse?: CallReuse }): JSX.Element | null {
  const state = useState();
  const newest = [...calls].sort((one, other) => other.call - one.call);
  if (newest.length === 0) return null;
  return (
    <section class="calls" aria-label={label}>
      <div class="row"><h3>{label}</h3>{newest.some(({ endedAt }) => endedAt !== null) && <button type="button" class="small" onClick={() => void state.run('call.clear', {})}>Clear</button>}</div>
      {newest.slice(0, MOST).map((call, at) => <Call key={call.call} call={call} reuse={reuse} open={at === 0 || call.endedAt === null} />)}
      {newest.length > MOST && <p class="dim">{newest.length - MOST} older calls are in the activity log.</p>}
    </section>
  );
}

const words: Readonly<Record<CallView['state'], string>> = {
  waiting: 'waits for consent', running: 'runs', done: 'done', failed: 'failed', refused: 'refused', cancelled: 'cancelled',
};

export function Call({ call, open, reuse }: { readonly call: CallView; readonly open: boolean; readonly reuse?: CallReuse | undefined }): JSX.Element {
  const state = useState();
  const chosen = useSignal<boolean | undefined>(undefined);
  const shown = chosen.value ?? open;
  const { about } = call;
  const { FailedCall } = state.parts;
  const failed = hasFailed(call);
  const failedByTool = failed && call.state === 'done';
  const misfit = call.state === 'done' && call.outputFault !== '';
  const tone = call.state === 'done' ? failedByTool ? 'bad' : misfit ? 'warn' : 'good' : call.endedAt === null ? 'live' : 'bad';
  // A refused or unsent call may have arguments from a link; pressing the button must not make them the person's own.
  const mayReuse = reuse !== undefined && call.wire !== null && (call.state === 'done' || call.state === 'failed');
  const args = about.kind === 'resource' ? undefined : about.args;
  const node = useMemo(() => nodeOfText(print(args ?? {}, about.kind === 'tool' ? about.lexemes ?? {} : {})), [args]);
  // The arguments often show why it failed. They are not unfolded if the form would mask some of them.
  const unfolded = failed && !holdsSecrets(state, call);
  const article = useRef<HTMLElement>(null);
  const ran = useRef(false);
  useEffect(() => {
    // Scrolls to the result of a call that this page saw running, because forms are long.
    if (call.endedAt === null) ran.current = true;
    else if (ran.current && shown && article.current) intoView(article.current);
  }, [call.endedAt]);
  return (
    <article class={`call ${tone}`} aria-label={`Call ${call.call}`} ref={article}>
      <header class="row">
        <button type="button" class="quiet" aria-expanded={shown} aria-label={`${shown ? 'Hide' : 'Show'} call ${call.call}`} onClick={() => { chosen.value = !shown; }}>{shown ? '▾' : '▸'}</button>
        <strong><Safe text={about.kind === 'resource' ? about.uri : about.name} most={100} /></strong>
        <span class={`badge ${tone}`} role="status">{failedByTool ? 'tool error' : misfit ? 'invalid result' : words[call.state]}</span>
        <span class="dim">{clock(call.startedAt)}<Took call={call} /></span>
        <span class="spring" />
        {mayReuse && <button type="button" class="small" onClick={() => reuse.again(call)}>Call again</button>}
        {mayReuse && <button type="button" class="small" onClick={() => reuse.use(call)}>Use these arguments</button>}
        {call.wire !== null && <button type="button" class="small" onClick={() => { if (call.wire !== null) state.showWire(call.wire); }}>On the wire</button>}
        {call.endedAt === null && <button type="button" class="small danger" onClick={() => void state.run('call.cancel', { call: call.call })}>Cancel</button>}
      </header>
      {call.endedAt === null && <Progress progress={call.progress} />}
      {shown && (
        <>
          {args && Object.keys(args).length > 0 && <NodeTree key={unfolded} name="arguments" node={node} open={unfolded ? 2 : 0} />}
          {call.task !== null && <p class="dim">It is the task <code><Safe text={call.task} most={100} /></code>.</p>}
          <Boundary value={call.result}><CallResult call={call} /></Boundary>
          {failed && <FailedCall call={call} />}
        </>
      )}
    </article>
  );
}

function holdsSecrets({ catalogue }: State, { about }: CallView): boolean {
  if (about.kind !== 'tool') return false;
  const schema = catalogue.value?.tools.find(({ tool }) => tool.name === about.name)?.tool.inputSchema as JsonSchema | undefined ?? true;
  return JSON.stringify(withoutSecrets(about.args, schema, schema)) !== JSON.stringify(about.args);
}

export function Progress({ progress }: { readonly progress: ProgressView | null }): JSX.Element {
  const share = progress !== null && progress.total !== null && progress.total > 0 ? progress.progress / progress.total : undefined;
  return (
    <div class="progress">
      <progress aria-label="Progress" max={1} {...share !== undefined && { value: Math.min(Math.max(share, 0), 1) }} />
      {progress && <span class="dim">{progress.progress}{progress.total !== null && ` of ${progress.total}`} <Safe text={progress.message ?? ''} most={200} /></span>}
    </div>
  );
}
