import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { useSignal } from '@preact/signals';
import type { ResultOf } from '../../messages.ts';
import { useState } from '../context.ts';
import { Dialog } from '../parts/dialog.tsx';
import { DiffTexts } from '../parts/diff.tsx';
import { Safe } from '../parts/safe-text.tsx';

/** Saves a server that was added in the page: the file and the difference are shown before anything is written. */
export function SaveServer({ server, onDone }: { readonly server: string; readonly onDone: () => void }): JSX.Element {
  const state = useState();
  const found = useSignal<ResultOf<'server.saving'> | undefined>(undefined);
  useEffect(() => {
    void state.run('server.saving', { server }).then((got) => {
      if (got) found.value = got;
      else onDone();
    });
  }, []);
  const save = async (): Promise<void> => {
    if (!found.value) return;
    const { path, before } = found.value;
    try {
      await state.link.act('server.save', { server, before });
      state.tell(`${server} is kept in ${path}.`);
    } catch (thrown) {
      state.tell(thrown instanceof Error ? thrown.message : String(thrown), 'bad');
    }
    onDone();
  };
  return (
    <Dialog title={<>Keep <Safe text={server} most={80} /> in the configuration</>} onCancel={onDone} wide>
      <div class="dialog-body">
        {found.value && <p>This is written to <code><Safe text={found.value.path} most={500} /></code>. Values of the environment and of headers are not: they are read from variables.</p>}
        {found.value && <DiffTexts before={found.value.before} after={found.value.after} />}
      </div>
      <div class="dialog-foot">
        <button type="button" onClick={onDone}>Cancel</button>
        <button type="button" class="primary" disabled={!found.value} onClick={() => void save()}>Write it</button>
      </div>
    </Dialog>
  );
}
