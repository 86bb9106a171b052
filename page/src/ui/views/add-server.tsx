import type { JSX } from 'preact';
import { useSignal } from '@preact/signals';
import type { NewServer } from '../../messages.ts';
import { useState } from '../context.ts';
import type { Example } from '../page-parts.ts';
import { Dialog } from '../parts/dialog.tsx';
import { NamedValues, toRecord } from '../parts/named-values.tsx';
import type { NamedValue } from '../parts/named-values.tsx';

/** The form for a new server. It is the only way: an address of the page cannot add one. */
export function AddServer({ onDone, example }: { readonly onDone: () => void; readonly example?: Example }): JSX.Element {
  const state = useState();
  const kind = useSignal<'program' | 'address'>(example?.where.startsWith('http') ? 'address' : 'program');
  const name = useSignal(example?.name ?? '');
  const line = useSignal(kind.peek() === 'program' ? example?.where ?? '' : '');
  const url = useSignal(kind.peek() === 'address' ? example?.where ?? '' : '');
  const values = useSignal<readonly NamedValue[]>([]);
  const era = useSignal<'auto' | 'legacy' | 'modern'>('auto');
  const fault = useSignal('');
  const busy = useSignal(false);

  const add = async (): Promise<void> => {
    const [command = '', ...args] = words(line.value);
    const extra = toRecord(values.value);
    const target: NewServer['target'] = kind.value === 'program' ? { command, args, env: extra } : { url: url.value, headers: extra };
    busy.value = true;
    try {
      await state.link.act('server.add', { name: name.value.trim(), target, era: era.value });
      state.server.value = name.value.trim();
      onDone();
    } catch (thrown) {
      fault.value = thrown instanceof Error ? thrown.message : String(thrown);
    } finally {
      busy.value = false;
    }
  };
  return (
    <Dialog title="Add a server" onCancel={onDone}>
      <form onSubmit={(event) => { event.preventDefault(); void add(); }}>
        <div class="dialog-body">
          <div class="radios row">
            <label><input type="radio" name="kind" checked={kind.value === 'program'} onChange={() => { kind.value = 'program'; }} />A program, over stdio</label>
            <label><input type="radio" name="kind" checked={kind.value === 'address'} onChange={() => { kind.value = 'address'; }} />An address, over HTTP</label>
          </div>
          <label class="field">Name<input type="text" required value={name.value} onInput={(event) => { name.value = event.currentTarget.value; }} /></label>
          {kind.value === 'program'
            ? <label class="field">Command<input type="text" class="code" required placeholder="npx @modelcontextprotocol/server-everything" value={line.value} onInput={(event) => { line.value = event.currentTarget.value; }} /></label>
            : <label class="field">URL<input type="url" class="code" required placeholder="http://127.0.0.1:3000/mcp" value={url.value} onInput={(event) => { url.value = event.currentTarget.value; }} /></label>}
          <NamedValues title={kind.value === 'program' ? 'Environment' : 'Headers'} values={values.value} onChange={(next) => { values.value = next; }} />
          <p class="hint">Values are kept in memory only.</p>
          <label class="field">Revisions
            <select value={era.value} onChange={(event) => { era.value = event.currentTarget.value as 'auto' | 'legacy' | 'modern'; }}>
              <option value="auto">The newest that both speak</option>
              <option value="modern">Only 2026-07-28 (modern)</option>
              <option value="legacy">Only up to 2025-11-25 (legacy)</option>
            </select>
          </label>
          {fault.value && <p class="problems" role="alert">{fault.value}</p>}
        </div>
        <footer class="dialog-foot">
          <span class="spring" />
          <button type="button" onClick={onDone}>Cancel</button>
          <button type="submit" class="primary" disabled={busy.value}>Add and start</button>
        </footer>
      </form>
    </Dialog>
  );
}

/** Splits a command line: quotes keep blanks, and outside single quotes a backslash escapes the next character. */
export function words(line: string): string[] {
  const found: string[] = [];
  let word: string | undefined;
  let quote = '';
  for (let at = 0; at < line.length; at++) {
    const char = line[at] ?? '';
    if (quote === '' && /\s/.test(char)) {
      if (word !== undefined) found.push(word);
      word = undefined;
    } else if (quote === '' && (char === '"' || char === "'")) {
      quote = char;
      word ??= '';
    } else if (char === quote && quote !== '') quote = '';
    else if (char === '\\' && quote !== "'" && at + 1 < line.length) word = (word ?? '') + (line[++at] ?? '');
    else word = (word ?? '') + char;
  }
  return word === undefined ? found : [...found, word];
}
