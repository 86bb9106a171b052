// Inputs for values that are chosen, not typed.
import type { JSX } from 'preact';
import { Safe } from '../parts/safe-text.tsx';
import { common } from './input-props.ts';
import type { InputProps } from './input-props.ts';
import { label } from './shape.ts';
import type { Option } from './shape.ts';

const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/** With more options than this the person types, and picks a match. */
const MANY = 20;
/** The most options that are offered during typing. */
const OFFERED = 200;

/** One option of several: radio buttons for up to three if one is required, a list, or for many a text field that offers matches. */
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
  if (options.length > MANY) return <ManyChoices {...input} options={options} chosen={chosen} />;
  return (
    <select {...common(input)} value={chosen} onChange={(event) => onChange(options[Number(event.currentTarget.value)]?.value)}>
      {(chosen < 0 || !required) && <option value={-1}>{required ? 'choose …' : 'not given'}</option>}
      {options.map((option, at) => <option key={at} value={at}>{option.title}</option>)}
    </select>
  );
}

/** A text that equals a title selects its option. Other text stays unchanged, and the validator names the fault. */
function ManyChoices({ options, chosen, ...input }: InputProps & { readonly options: readonly Option[]; readonly chosen: number }): JSX.Element {
  const { id, value, onChange } = input;
  const shown = chosen >= 0 ? options[chosen]?.title ?? '' : value === undefined ? '' : label(value);
  const typed = shown.toLowerCase();
  const fitting = chosen >= 0 ? options : options.filter(({ title }) => title.toLowerCase().includes(typed));
  const take = (text: string): void => {
    const found = options.find(({ title }) => title === text);
    onChange(found ? found.value : text === '' ? undefined : text);
  };
  return (
    <>
      <input type="text" autocomplete="off" {...common(input)} list={`${id}-l`} value={shown} placeholder={`one of ${options.length}`} onInput={(event) => take(event.currentTarget.value)} />
      <datalist id={`${id}-l`}>{fitting.slice(0, OFFERED).map(({ title }, at) => <option key={at} value={title} />)}</datalist>
    </>
  );
}

/** Any number of the options. */
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

/** Yes or no. If the value is optional and has no default, a third choice omits it. */
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

/** A constant, or null. If it is optional, the person decides whether to send it. */
export function Fixed({ fixed, ...input }: InputProps & { readonly fixed: unknown }): JSX.Element {
  const { id, required, value, onChange } = input;
  const words = <code class="constant"><Safe text={label(fixed)} /></code>;
  if (required) return <output id={id}>{words}</output>;
  return (
    <div class="radios">
      <label><input type="checkbox" {...common(input)} checked={value !== undefined} onChange={(event) => onChange(event.currentTarget.checked ? fixed : undefined)} />send {words}</label>
    </div>
  );
}
