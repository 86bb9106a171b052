import type { JSX } from 'preact';
import { useSignal } from '@preact/signals';
import { lexemesOf, parseNearest, print } from '../../json/lexemes.ts';
import { common } from './input-props.ts';
import type { InputProps } from './input-props.ts';

/** Any JSON, for a schema that no other input fits. */
export function RawInput(input: InputProps): JSX.Element {
  const { value, lexemes, onChange, onLexemes, unread, onUnread } = input;
  const typed = useSignal(unread ?? (value === undefined ? '' : print(value, lexemes)));
  const take = (text: string): void => {
    typed.value = text;
    try {
      const given = text.trim() === '' ? undefined : parseNearest(text);
      onChange(given);
      onLexemes(given === undefined ? {} : lexemesOf(text));
      onUnread(undefined, '');
    } catch (thrown) {
      onUnread(text, thrown instanceof Error ? thrown.message : 'this is not JSON');
    }
  };
  return <textarea class="code" rows={2} placeholder="JSON" spellcheck={false} {...common(input)} value={typed.value} onInput={(event) => take(event.currentTarget.value)} />;
}
