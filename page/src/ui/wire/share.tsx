// Before a transcript leaves this page: what was redacted in it, and the whole of it, to be read.
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { useSignal } from '@preact/signals';
import type { ResultOf } from '../../messages.ts';
import { useState } from '../context.ts';
import type { Shared } from '../page-parts.ts';
import { bytes, CopyButton } from '../parts/controls.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Safe, SafeText } from '../parts/safe-text.tsx';
import { save } from '../parts/save.ts';

const MOST = 200;

export function Share({ server, only, onDone }: { readonly server: string; readonly only?: Shared; readonly onDone: () => void }): JSX.Element {
  const state = useState();
  const found = useSignal<ResultOf<'wire.share'> | undefined>(undefined);
  useEffect(() => {
    void state.run('wire.share', { server, ...only && { from: only.from, to: only.to } }).then((got) => {
      if (got) found.value = got;
      else onDone();
    });
  }, []);
  const { text = '', redacted = [] } = found.value ?? {};
  return (
    <Dialog title={<>Share {only ? `call ${only.call}` : 'the wire'} of <Safe text={server} most={80} /></>} onCancel={onDone} wide>
      <div class="dialog-body">
        <p role="status">{!found.value ? 'It is put together …' : redacted.length === 0 ? 'Nothing in it looks like a secret.' : `${redacted.length} ${redacted.length === 1 ? 'place was' : 'places were'} redacted:`}</p>
        {redacted.length > 0 && (
          <ul class="plain exact" tabIndex={0} aria-label="What was redacted">
            {redacted.slice(0, MOST).map(({ seq, path, why }, at) => <li key={at}>message {seq} <code><Safe text={path || 'as a whole'} most={200} /></code> <span class="dim">{why}</span></li>)}
            {redacted.length > MOST && <li class="dim">and {redacted.length - MOST} more</li>}
          </ul>
        )}
        {found.value && <p class="hint">That is a guess by names and looks. Read it before you hand it on:</p>}
        {found.value && <SafeText text={text} class="result-text" label="The transcript" />}
      </div>
      <div class="dialog-foot">
        <span class="hint">{found.value && bytes(text.length)}</span>
        <button type="button" onClick={onDone}>Close</button>
        {found.value && <CopyButton text={() => text} />}
        <button type="button" class="primary" disabled={!found.value} onClick={() => { save(`${server}${only ? `-call-${only.call}` : ''}.wire`, text); onDone(); }}>Save as a file</button>
      </div>
    </Dialog>
  );
}
