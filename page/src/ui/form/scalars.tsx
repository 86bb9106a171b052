// Inputs for single values.
import type { JSX } from 'preact';
import { useRef } from 'preact/hooks';
import { useSignal } from '@preact/signals';
import type { FormModel } from './form-model.ts';
import { isMembers, label } from './shape.ts';
import type { Members, Option } from './shape.ts';

/** What every input is given. */
export interface InputProps {
  readonly id: string;
  readonly described: string;
  readonly invalid: boolean;
  readonly required: boolean;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
  readonly onLeave: () => void;
}

interface Common {
  readonly id: string;
  readonly 'aria-describedby': string;
  readonly 'aria-invalid': boolean;
  readonly 'aria-required': boolean;
  readonly onBlur: () => void;
}

const common = ({ id, described, invalid, required, onLeave }: InputProps): Common => ({
  id, 'aria-describedby': described, 'aria-invalid': invalid, 'aria-required': required, onBlur: onLeave,
});

const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/** One of several: radio buttons where they are few and one must be, else a list. */
export function Choice({ options, ...input }: InputProps & { readonly options: readonly Option[] }): JSX.Element {
  const { id, required, value, onChange, onLeave } = input;
  const chosen = options.findIndex((option) => same(option.value, value));
  if (required && options.length <= 3) {
    return (
      <div class="radios" onFocusOut={onLeave}>
        {options.map((option, at) => (
          <label key={at}>
            <input type="radio" name={id} checked={at === chosen} aria-invalid={input.invalid || undefined} onChange={() => onChange(option.value)} />
            <bdi>{option.title}</bdi>
          </label>
        ))}
      </div>
    );
  }
  return (
    <select {...common(input)} value={chosen} onChange={(event) => onChange(options[Number(event.currentTarget.value)]?.value)}>
      {(chosen < 0 || !required) && <option value={-1}>{required ? 'choose …' : 'not given'}</option>}
      {options.map((option, at) => <option key={at} value={at}>{option.title}</option>)}
    </select>
  );
}

/** Several of several. */
export function Choices({ options, value, onChange, onLeave, required }: InputProps & { readonly options: readonly Option[] }): JSX.Element {
  const chosen: readonly unknown[] = Array.isArray(value) ? value : [];
  const toggle = (option: unknown, on: boolean): void => {
    const left = options.map((one) => one.value).filter((one) => (same(one, option) ? on : chosen.some((had) => same(had, one))));
    onChange(left.length === 0 && !required ? undefined : left);
    onLeave();
  };
  return (
    <div class="radios">
      {options.map((option, at) => (
        <label key={at}>
          <input type="checkbox" checked={chosen.some((one) => same(one, option.value))} onChange={(event) => toggle(option.value, event.currentTarget.checked)} />
          <bdi>{option.title}</bdi>
        </label>
      ))}
    </div>
  );
}

/** Yes or no; where it may be left out and has no default, a third way says so. */
export function YesNo({ twoWays, ...input }: InputProps & { readonly twoWays: boolean }): JSX.Element {
  const { value, onChange } = input;
  if (twoWays) return <input type="checkbox" {...common(input)} checked={value === true} onChange={(event) => onChange(event.currentTarget.checked)} />;
  return (
    <select {...common(input)} value={String(value)} onChange={({ currentTarget: { value: chosen } }) => onChange(chosen === 'undefined' ? undefined : chosen === 'true')}>
      <option value="undefined">not given</option>
      <option value="true">yes</option>
      <option value="false">no</option>
    </select>
  );
}

/** A number as it is typed. What is none stays a string, so that the validator says what it is. */
export function NumberInput({ whole, own, ...input }: InputProps & { readonly whole: boolean; readonly own: Members }): JSX.Element {
  const typed = useSignal<string | undefined>(undefined);
  const { value, onChange, onLeave } = input;
  const shown = typed.value ?? (value === undefined ? '' : label(value));
  const take = (text: string): void => {
    typed.value = text;
    const number = Number(text);
    onChange(text.trim() === '' ? undefined : Number.isFinite(number) ? number : text);
  };
  const bounds = [own.minimum !== undefined && `from ${label(own.minimum)}`, own.maximum !== undefined && `to ${label(own.maximum)}`].filter(Boolean).join(' ');
  return (
    <input type="text" inputMode={whole ? 'numeric' : 'decimal'} autocomplete="off" class="short" {...common(input)} value={shown} placeholder={bounds}
      onInput={(event) => take(event.currentTarget.value)} onBlur={() => { typed.value = undefined; onLeave(); }} />
  );
}

const keyboards: Readonly<Record<string, 'email' | 'url'>> = { email: 'email', uri: 'url' };
const examples: Readonly<Record<string, string>> = {
  'date-time': '2026-11-22T09:30:00Z', time: '09:30:00Z', uri: 'https://…', email: 'name@example.com', uuid: '00000000-0000-0000-0000-000000000000',
};
// How long typing must rest before values are looked for.
const restMs = 120;

/** Text. Its format chooses the keyboard and the picker; where the server completes, values are offered as one types. */
export function TextInput({ format, long, own, form, name, ...input }: InputProps & {
  readonly format: string; readonly long: boolean; readonly own: Members; readonly form: FormModel; readonly name: string;
}): JSX.Element {
  const { value, onChange, required } = input;
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
    onChange(typed === '' && !required ? undefined : typed === '' && own.minLength === undefined && value === undefined ? undefined : typed);
    look(typed);
  };
  if (lines.value) {
    return <textarea {...common(input)} rows={3} value={text} onInput={(event) => take(event.currentTarget.value)} />;
  }
  const [example] = Array.isArray(own.examples) ? own.examples : [];
  if (format === 'date') return <input type="date" class="short" {...common(input)} value={text} onInput={(event) => take(event.currentTarget.value)} />;
  return (
    <div class="with-side">
      <input type="text" inputMode={keyboards[format] ?? 'text'} autocomplete="off" spellcheck={false} {...common(input)} value={text}
        placeholder={typeof example === 'string' ? example : examples[format] ?? ''}
        {...form.complete && { list: `${input.id}-l`, onFocus: () => look(text) }}
        onInput={(event) => take(event.currentTarget.value)} />
      {form.complete && <datalist id={`${input.id}-l`}>{offers.value.map((one) => <option key={one} value={one} />)}</datalist>}
      {!(format in examples) && (
        <button type="button" class="quiet" title="Several lines" aria-label="Write several lines" onClick={() => { lines.value = true; }}>¶</button>
      )}
    </div>
  );
}

/** Any JSON, where the schema says too little or too much for a form. */
export function RawInput(input: InputProps): JSX.Element {
  const { value, onChange } = input;
  const typed = useSignal(value === undefined ? '' : JSON.stringify(value));
  const fault = useSignal('');
  const take = (text: string): void => {
    typed.value = text;
    try {
      onChange(text.trim() === '' ? undefined : JSON.parse(text));
      fault.value = '';
    } catch (thrown) {
      fault.value = thrown instanceof Error ? thrown.message : 'this is not JSON';
    }
  };
  return (
    <>
      <textarea class="code" rows={2} placeholder="JSON" spellcheck={false} {...common(input)} value={typed.value} onInput={(event) => take(event.currentTarget.value)} />
      {fault.value && <p class="problems">{fault.value}</p>}
    </>
  );
}
