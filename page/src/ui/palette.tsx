// The dialog for Ctrl+K: one field that finds servers, tools, prompts, resources and messages, and goes there.
import type { JSX } from 'preact';
import { useSignal } from '@preact/signals';
import { useState } from './context.ts';
import { Dialog } from './parts/dialog.tsx';
import { Safe } from './parts/safe-text.tsx';
import type { State } from './state.ts';

interface Place {
  readonly kind: string;
  readonly title: string;
  readonly about: string;
  go(): void;
}

const MOST = 50;
const MOST_MESSAGES = 15;

export function Palette({ onDone }: { readonly onDone: () => void }): JSX.Element {
  const state = useState();
  const words = useSignal('');
  const at = useSignal(0);
  const found = placesOf(state, words.value.toLowerCase().split(/\s+/).filter(Boolean));
  const place = Math.min(at.value, found.length - 1);
  const go = (to: Place | undefined): void => {
    if (!to) return;
    onDone();
    to.go();
  };
  return (
    <Dialog title="Go to" onCancel={onDone}>
      <div class="dialog-body palette">
        <input type="text" role="combobox" aria-label="Servers, tools, prompts, resources, messages" placeholder="A name, or words of a message" aria-expanded="true" aria-controls="palette-list" spellcheck={false}
          aria-activedescendant={found.length > 0 ? `place-${place}` : undefined} value={words.value} onInput={(event) => { words.value = event.currentTarget.value; at.value = 0; }}
          onKeyDown={(event) => {
            const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
            if (by === undefined && event.key !== 'Enter') return;
            event.preventDefault();
            if (by === undefined) return go(found[place]);
            at.value = Math.max(Math.min(place + by, found.length - 1), 0);
            document.getElementById(`place-${at.value}`)?.scrollIntoView({ block: 'nearest' });
          }} />
        <div id="palette-list" role="listbox" aria-label="Places" class="places" tabIndex={-1}>
          {found.map((one, index) => (
            <div key={index} id={`place-${index}`} role="option" aria-selected={index === place} class="place" onClick={() => go(one)}>
              <span class="badge">{one.kind}</span> <b><Safe text={one.title} most={100} /></b> <span class="dim"><Safe text={one.about} most={120} /></span>
            </div>
          ))}
          {found.length === 0 && <div role="option" aria-selected="false" aria-disabled="true" class="empty">Nothing has this name.</div>}
        </div>
      </div>
    </Dialog>
  );
}

/** The places whose text contains all words; those of the current server come first. */
function placesOf(state: State, words: readonly string[]): readonly Place[] {
  const found: Place[] = [];
  const add = (place: Place, text = `${place.title} ${place.about}`): void => {
    if (found.length < MOST && words.every((word) => text.toLowerCase().includes(word))) found.push(place);
  };
  for (const { name } of state.servers.value.values()) add({ kind: 'server', title: name, about: '', go: () => state.visit(name) });
  const catalogues = [...state.catalogues.value.values()].sort((one, other) => Number(other.server === state.server.value) - Number(one.server === state.server.value));
  for (const { server, tools, prompts, resources, templates } of catalogues) {
    const to = (tab: 'tools' | 'prompts' | 'resources', key: string) => (): void => state.visit(server, tab, key);
    for (const { tool } of tools) add({ kind: 'tool', title: tool.title ?? tool.name, about: `${server}/${tool.name}`, go: to('tools', tool.name) });
    for (const prompt of prompts) add({ kind: 'prompt', title: prompt.title ?? prompt.name, about: `${server}/${prompt.name}`, go: to('prompts', prompt.name) });
    for (const { uri, name, title } of resources) add({ kind: 'resource', title: title ?? name, about: `${server} ${uri}`, go: to('resources', uri) });
    for (const { uriTemplate, name, title } of templates) add({ kind: 'template', title: title ?? name, about: `${server} ${uriTemplate}`, go: to('resources', uriTemplate) });
  }
  if (words.length === 0) return found;
  const before = found.length;
  for (let index = state.wire.entries.length - 1; index >= 0 && found.length - before < MOST_MESSAGES; index--) {
    const entry = state.wire.entries[index];
    if (entry?.kind !== 'message') continue;
    add({ kind: 'message', title: entry.method || entry.shape, about: entry.sentence, go: () => state.showWire(entry.seq) }, `${entry.seq} ${entry.method} ${entry.sentence} ${entry.text}`);
  }
  return found;
}
