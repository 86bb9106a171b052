import type { JSX } from 'preact';
import { useRef } from 'preact/hooks';
import { useSignal } from '@preact/signals';
import { Base64Input } from './base64-input.tsx';
import type { FormModel } from './form-model.ts';
import { common } from './input-props.ts';
import type { InputProps } from './input-props.ts';
import { isSecret } from './secrets.ts';
import { isMembers, label } from './shape.ts';
import type { Members } from './shape.ts';
import { isTimestamp, TimeInput } from './time-input.tsx';

const keyboards: Readonly<Record<string, 'email' | 'url'>> = { email: 'email', uri: 'url' };
const examples: Readonly<Record<string, string>> = { uri: 'https://…', email: 'name@example.com', uuid: '00000000-0000-0000-0000-000000000000' };
// How long typing must pause before completions are requested.
const restMs = 120;

interface TextProps extends InputProps {
  readonly format: string;
  readonly long: boolean;
  readonly own: Members;
  readonly form: FormModel;
  readonly name: string;
}

/** Text. Its format selects the keyboard and the picker. If the server offers completions, they appear during typing. */
export function TextInput(props: TextProps): JSX.Element {
  const { format, own, name, value } = props;
  if (isSecret(own, name)) return <SecretInput {...props} />;
  if (own.contentEncoding === 'base64' || format === 'byte') return <Base64Input {...props} />;
  if (format === 'date') return <input type="date" class="short" {...common(props)} value={value === undefined ? '' : label(value)} onInput={(event) => props.onChange(valueOf(event.currentTarget.value, props))} />;
  if ((format === 'date-time' || format === 'time') && isTimestamp(format, value)) return <TimeInput {...props} format={format} />;
  return <PlainInput {...props} />;
}

function valueOf(typed: string, { required, own, value }: TextProps): string | undefined {
  if (typed !== '') return typed;
  return !required || own.minLength === undefined && value === undefined ? undefined : '';
}

function PlainInput(props: TextProps): JSX.Element {
  const { format, long, own, form, name, value, id } = props;
  const text = value === undefined ? '' : label(value);
  const lines = useSignal(long || text.includes('\n'));
  const offers = useSignal<readonly string[]>([]);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const asked = useRef(0);

  const look = (typed: string): void => {
    const { complete } = form;
    if (!complete) return;
    clearTimeout(timer.current);
    const mine = ++asked.current;
    timer.current = setTimeout(() => {
      const all = form.value.peek();
      const settled = Object.fromEntries(Object.entries(isMembers(all) ? all : {})
        .filter((entry): entry is [string, string] => entry[0] !== name && typeof entry[1] === 'string'));
      complete(name, typed, settled).then((found) => {
        if (mine === asked.current) offers.value = found.slice(0, 100);
      }, () => {});
    }, restMs);
  };
  const take = (typed: string): void => {
    props.onChange(valueOf(typed, props));
    look(typed);
  };
  if (lines.value) {
    return <textarea {...common(props)} rows={3} value={text} onInput={(event) => take(event.currentTarget.value)} />;
  }
  const [example] = Array.isArray(own.examples) ? own.examples : [];
  return (
    <div class="with-side">
      <input type="text" inputMode={keyboards[format] ?? 'text'} autocomplete="off" spellcheck={false} {...common(props)} value={text}
        placeholder={typeof example === 'string' ? example : examples[format] ?? ''}
        {...form.complete && { list: `${id}-l`, onFocus: () => look(text) }}
        onInput={(event) => take(event.currentTarget.value)} />
      {form.complete && <datalist id={`${id}-l`}>{offers.value.map((one) => <option key={one} value={one} />)}</datalist>}
      {!(format in examples) && (
        <button type="button" class="quiet several" onClick={() => { lines.value = true; }}>Several lines</button>
      )}
    </div>
  );
}

/** A value that only the person should read. It is in no link, draft or saved call. */
function SecretInput(props: TextProps): JSX.Element {
  const shown = useSignal(false);
  const text = props.value === undefined ? '' : label(props.value);
  const take = (event: { readonly currentTarget: HTMLInputElement }): void => props.onChange(valueOf(event.currentTarget.value, props));
  return (
    <div class="with-side">
      {shown.value
        ? <input type="text" autocomplete="off" spellcheck={false} {...common(props)} value={text} onInput={take} />
        : <input type="password" autocomplete="off" {...common(props)} value={text} onInput={take} />}
      <button type="button" class="small" aria-pressed={shown.value} onClick={() => { shown.value = !shown.value; }}>Show</button>
    </div>
  );
}
