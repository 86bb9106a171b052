// Shows a transcript before it leaves this page: its extent, its redactions, and the whole text.
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { useSignal } from '@preact/signals';
import type { ResultOf } from '../../messages.ts';
import { useState } from '../context.ts';
import type { Shared } from '../page-parts.ts';
import { characters, CopyButton } from '../parts/controls.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Safe, SafeText } from '../parts/safe-text.tsx';
import { save } from '../parts/save.ts';

const MOST = 200;

/** `only`: a failed call. Only its messages are shared, unless the person chooses the whole wire. */
export function Share({ server, only: given, onDone }: { readonly server: string; readonly only: Shared | undefined; readonly onDone: () => void }): JSX.Element {
  const state = useState();
  // Kept from the first rendering, because another call may fail meanwhile.
  const { current: failed } = useRef(given);
  const whole = useSignal(!failed);
  const only = whole.value ? undefined : failed;
  const found = useSignal<ResultOf<'wire.share'> | undefined>(undefined);
  useEffect(() => {
    found.value = undefined;
    void state.run('wire.share', { server, ...only && { from: only.from, to: only.to } }).then((got) => {
      if (whole.peek() === !only && got) found.value = got;
      else if (!got) onDone();
    });
  }, [only]);
  const { text = '', redacted = [], messages } = found.value ?? {};
  const name = <Safe text={server} most={80} />;
  return (
    <Dialog title={only ? <>Share the failed call of <Safe text={only.name} most={80} /> on {name}</> : <>Share the wire of {name}</>} onCancel={onDone} wide>
      <div class="dialog-body">
        {failed && (
          <fieldset class="radios row" aria-label="What goes along">
            {[false, true].map((one) => <label key={one}><input type="radio" name="along" checked={whole.value === one} onChange={() => { whole.value = one; }} />{one ? 'The whole wire' : 'Only this call'}</label>)}
          </fieldset>
        )}
        <p role="status">{!found.value ? 'It is put together …' : redacted.length === 0 ? 'Nothing in it looks like a secret.' : `${redacted.length} ${redacted.length === 1 ? 'place was' : 'places were'} redacted:`}</p>
        {redacted.length > 0 && (
          <ul class="plain exact" tabIndex={0} aria-label="What was redacted">
            {redacted.slice(0, MOST).map(({ seq, path, why }, at) => <li key={at}>message {seq} <code><Safe text={path || 'as a whole'} most={200} /></code> <span class="dim">{why}</span></li>)}
            {redacted.length > MOST && <li class="dim">and {redacted.length - MOST} more</li>}
          </ul>
        )}
        {found.value && <p class="hint">This is a guess by names and forms. Read the text before you share it:</p>}
        {found.value && <SafeText text={text} class="result-text" label="The transcript" />}
      </div>
      <div class="dialog-foot">
        <span class="hint">{found.value && `${messages} message${messages === 1 ? ' goes' : 's go'} along, ${characters(text.length)}`}</span>
        <button type="button" onClick={onDone}>Close</button>
        {found.value && <CopyButton text={() => text} />}
        <button type="button" class="primary" disabled={!found.value} onClick={() => { save(`${server}${only ? `-call-${only.call}` : ''}.wire`, text); onDone(); }}>Save as a file</button>
      </div>
    </Dialog>
  );
}
