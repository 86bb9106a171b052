import type { JSX } from 'preact';
import { useSignal } from '@preact/signals';
import { isExact, isJsonNumber, numberOf } from '../../json/number.ts';
import { common } from './input-props.ts';
import type { InputProps } from './input-props.ts';
import { label } from './shape.ts';
import type { Members } from './shape.ts';

/** A number that is sent with the digits as they were typed. Other text stays a string, so that the validator names the fault. */
export function NumberInput({ whole, own, ...input }: InputProps & { readonly whole: boolean; readonly own: Members }): JSX.Element {
  const { value, lexemes, onChange, onLexemes } = input;
  const typed = useSignal(lexemes[''] ?? (value === undefined ? '' : label(value)));
  const take = (text: string): void => {
    typed.value = text;
    const trimmed = text.trim();
    const number = numberOf(trimmed);
    onChange(trimmed === '' ? undefined : number ?? text);
    onLexemes(number !== undefined && isJsonNumber(trimmed) && trimmed !== JSON.stringify(number) ? { '': trimmed } : {});
  };
  const bounds = [own.minimum !== undefined && `from ${label(own.minimum)}`, own.maximum !== undefined && `to ${label(own.maximum)}`].filter(Boolean).join(' ');
  const text = typed.value.trim();
  const rounded = isJsonNumber(text) && (!isExact(text) || whole && !Number.isSafeInteger(Number(text)) && Number.isInteger(Number(text)));
  return (
    <>
      <input type="text" inputMode={whole ? 'numeric' : 'decimal'} autocomplete="off" class="short" {...common(input)} value={typed.value} placeholder={bounds}
        onInput={(event) => take(event.currentTarget.value)} />
      {rounded && <p class="hint warn-text" role="status">It is sent with these digits. JavaScript holds {String(Number(text))}, and so may the server.</p>}
    </>
  );
}
