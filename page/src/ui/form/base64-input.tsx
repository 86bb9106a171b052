// Bytes as base64: from a file that the person chooses, or pasted.
import type { JSX } from 'preact';
import { useSignal } from '@preact/signals';
import { bytes } from '../parts/controls.tsx';
import { common } from './input-props.ts';
import type { InputProps } from './input-props.ts';
import { label } from './shape.ts';

/** Larger files are not read. */
const maxBytes = 8 * 1024 * 1024;
/** Longer texts are not shown in the field. */
const maxShown = 10_000;

export function Base64Input(props: InputProps): JSX.Element {
  const { value, onChange, id } = props;
  const said = useSignal('');
  const text = value === undefined ? '' : label(value);
  const read = async (file: File | undefined): Promise<void> => {
    if (!file) return;
    if (file.size > maxBytes) {
      said.value = `The file has ${bytes(file.size)}; at most ${bytes(maxBytes)} are allowed.`;
      return;
    }
    onChange(base64(new Uint8Array(await file.arrayBuffer())));
    said.value = '';
  };
  return (
    <>
      <div class="row wrap">
        <label class="button small file">Choose a file<input type="file" onChange={(event) => { void read(event.currentTarget.files?.[0]); event.currentTarget.value = ''; }} /></label>
        {text !== '' && <span class="dim" role="status">{bytes(Math.floor(text.length * 3 / 4))} in base64</span>}
        {text !== '' && <button type="button" class="small" onClick={() => onChange(undefined)}>Clear</button>}
      </div>
      {text.length <= maxShown
        ? <textarea class="code" rows={2} spellcheck={false} placeholder="base64" {...common(props)} value={text} onInput={(event) => onChange(event.currentTarget.value === '' ? undefined : event.currentTarget.value)} />
        : <output id={id} class="dim">Too long to be shown.</output>}
      {said.value && <p class="problems" role="alert">{said.value}</p>}
    </>
  );
}

function base64(data: Uint8Array): string {
  let text = '';
  // A function call accepts a limited number of arguments.
  for (let at = 0; at < data.length; at += 8_192) text += String.fromCharCode(...data.subarray(at, at + 8_192));
  return btoa(text);
}
