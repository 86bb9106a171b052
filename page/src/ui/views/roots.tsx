import type { JSX } from 'preact';
import { useSignal } from '@preact/signals';
import type { ServerView } from '../../messages.ts';
import { useState } from '../context.ts';
import { Safe } from '../parts/safe-text.tsx';

/** The roots of a server. The server is notified of each change at once. */
export function Roots({ server }: { readonly server: ServerView }): JSX.Element {
  const state = useState();
  const uri = useSignal('');
  const title = useSignal('');
  const { name, roots } = server;
  const set = (next: ServerView['roots']): Promise<unknown> => state.run('server.roots', { server: name, roots: next });
  const add = async (): Promise<void> => {
    const given = uri.value.startsWith('/') ? `file://${uri.value}` : uri.value;
    if (await set([...roots, { uri: given, ...title.value && { name: title.value } }]) === undefined) return;
    uri.value = title.value = '';
  };
  return (
    <section aria-label="Roots">
      <h3>Roots</h3>
      <ul class="plain">
        {roots.map((root) => (
          <li class="row" key={root.uri}>
            <code><Safe text={root.uri} /></code> {root.name && <Safe text={root.name} most={80} />}
            <button type="button" class="quiet" aria-label={`Remove root ${root.uri}`} onClick={() => void set(roots.filter((one) => one !== root))}>×</button>
          </li>
        ))}
        {roots.length === 0 && <li class="dim">None: the server gets no folder to work in.</li>}
      </ul>
      <form class="row" onSubmit={(event) => { event.preventDefault(); void add(); }}>
        <input type="text" class="code" required placeholder="file:///home/me/project" aria-label="URI of a new root" value={uri.value} onInput={(event) => { uri.value = event.currentTarget.value; }} />
        <input type="text" class="short" placeholder="name" aria-label="Name of a new root" value={title.value} onInput={(event) => { title.value = event.currentTarget.value; }} />
        <button type="submit" class="small">Add root</button>
      </form>
    </section>
  );
}
