// A field for JSON with colours and matching brackets. It is in a shadow tree, where the editor adds its styles as constructed style
// sheets. The page's policy allows these, but forbids style elements.
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { useSignalEffect } from '@preact/signals';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { json } from '@codemirror/lang-json';
import { bracketMatching, HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { EditorState } from '@codemirror/state';
import { drawSelection, EditorView, keymap } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import type { JsonEditorProps } from './json-editor-props.ts';

const colours = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--sent)' }, { tag: tags.string, color: 'var(--good)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--accent)' }, { tag: tags.invalid, color: 'var(--bad)' },
]);
const look = EditorView.theme({
  '&': { border: '1px solid var(--line-strong)', borderRadius: '6px', background: 'var(--panel)', color: 'var(--ink)', fontSize: '.9rem' },
  '&.cm-focused': { outline: '2px solid var(--accent)' },
  '.cm-scroller': { fontFamily: 'var(--mono)', minHeight: '9rem', maxHeight: '50vh' },
  '.cm-content': { caretColor: 'var(--ink)' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
});
// Ctrl+Enter must call the tool from every field, and Tab goes to the next field.
const keys = [...defaultKeymap.filter(({ key }) => key !== 'Mod-Enter'), ...historyKeymap];

export function JsonEditor({ text, label, invalid, fault, onInput }: JsonEditorProps): JSX.Element {
  const at = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | undefined>(undefined);
  const hear = useRef(onInput);
  hear.current = onInput;
  useEffect(() => {
    const host = at.current;
    if (!host) return undefined;
    const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
    const made = new EditorView({
      parent: root, root,
      state: EditorState.create({
        doc: text.peek() ?? '',
        extensions: [
          history(), drawSelection(), bracketMatching(), json(), syntaxHighlighting(colours), look, EditorView.lineWrapping, keymap.of(keys),
          EditorView.contentAttributes.of({ 'aria-label': label, 'aria-multiline': 'true', spellcheck: 'false' }),
          EditorView.updateListener.of(({ docChanged, state }) => { if (docChanged) hear.current(state.doc.toString()); }),
        ],
      }),
    });
    view.current = made;
    return () => made.destroy();
  }, []);
  // Inserts a text from elsewhere, such as the arguments of another call. A signal effect runs at once: until the next rendering the
  // person may type more, and the older text would replace it.
  useSignalEffect(() => {
    const insert = text.value ?? '';
    const shown = view.current;
    if (shown && shown.state.doc.toString() !== insert) shown.dispatch({ changes: { from: 0, to: shown.state.doc.length, insert } });
  });
  useEffect(() => {
    const content = view.current?.contentDOM;
    content?.setAttribute('aria-invalid', String(invalid));
    // `aria-describedby` does not work across a shadow root.
    if (fault === '') content?.removeAttribute('aria-description');
    else content?.setAttribute('aria-description', fault);
  }, [invalid, fault]);
  return <div ref={at} class="json-editor" />;
}
