// Saved calls of a tool, in a file that others may also have written.
import type { JSX } from 'preact';
import { useSignal } from '@preact/signals';
import { lexemesOf, parseNearest, print } from '../../json/lexemes.ts';
import type { SavedCallView } from '../../messages.ts';
import { useState } from '../context.ts';
import type { FormModel } from '../form/form-model.ts';
import { withoutSecrets } from '../form/secrets.ts';
import { Safe } from '../parts/safe-text.tsx';

export function SavedCalls({ server, tool, form }: { readonly server: string; readonly tool: string; readonly form: FormModel }): JSX.Element | null {
  const state = useState();
  const typed = useSignal('');
  const saved = state.saved.value;
  if (!saved) return null;
  const calls = saved.calls.filter((one) => one.server === server && one.tool === tool);
  const name = typed.value.trim();
  const save = async (): Promise<void> => {
    const args = print(withoutSecrets(form.sent.args, form.schema, form.schema), form.lexemes.peek());
    if (await state.run('saved.save', { server, tool, name, args }) === null) typed.value = '';
  };
  const use = ({ args, own }: SavedCallView): void => {
    const value = withoutSecrets(parseNearest(args), form.schema, form.schema);
    form.fill({ value, lexemes: lexemesOf(args), ...!own && { origin: 'file' } });
  };
  return (
    <section aria-label="Saved calls">
      <h3>Saved calls</h3>
      <ul class="plain">
        {calls.map((one) => (
          <li key={one.name} class="row wrap">
            <button type="button" class="small" onClick={() => use(one)}><Safe text={one.name} most={80} /></button>
            <code class="dim"><Safe text={one.args} most={120} /></code>
            <button type="button" class="quiet" aria-label={`Remove the call ${one.name}`} onClick={() => void state.run('saved.remove', { server, tool, name: one.name })}>×</button>
          </li>
        ))}
      </ul>
      <form class="row wrap" onSubmit={(event) => { event.preventDefault(); void save(); }}>
        <input type="text" class="short" placeholder="name" aria-label="Name of the call" maxLength={80} value={typed.value} onInput={(event) => { typed.value = event.currentTarget.value; }} />
        <button type="submit" class="small" disabled={name === '' || form.rawFault.value !== ''}>{calls.some((one) => one.name === name) ? 'Replace this call' : 'Save this call'}</button>
        <span class="hint">in <code><Safe text={saved.path} most={200} /></code>, without masked fields</span>
      </form>
    </section>
  );
}
