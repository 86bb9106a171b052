import type { JSX } from 'preact';
import { useSignal } from '@preact/signals';
import type { ServerView } from '../../messages.ts';
import { useState } from '../context.ts';
import { NamedValues, toRecord } from '../parts/named-values.tsx';
import type { NamedValue } from '../parts/named-values.tsx';

/** Adds environment or headers to a server. They are kept in memory, and never come back to the page. */
export function Credentials({ server }: { readonly server: ServerView }): JSX.Element {
  const state = useState();
  const values = useSignal<readonly NamedValue[]>([]);
  const { name } = server;
  const program = server.target.kind === 'program';
  const give = async (): Promise<void> => {
    const record = toRecord(values.value);
    if (await state.run('server.credentials', { server: name, ...program ? { env: record } : { headers: record } }) !== undefined) {
      values.value = [];
      state.tell('Kept in memory, and used from the next connection on.');
    }
  };
  return (
    <>
      <NamedValues title={program ? 'More environment' : 'More headers'} values={values.value} onChange={(next) => { values.value = next; }} />
      {values.value.length > 0 && <button type="button" class="small" onClick={() => void give()}>Use from the next connection on</button>}
    </>
  );
}
