import type { JSX } from 'preact';

/** A name and a secret value. */
export interface NamedValue {
  readonly name: string;
  readonly value: string;
}

/** The rows with a name, as a record. */
export const toRecord = (values: readonly NamedValue[]): Record<string, string> =>
  Object.fromEntries(values.filter(({ name }) => name.trim() !== '').map(({ name, value }) => [name.trim(), value]));

/** Inputs for names and values, such as environment variables or headers. The values are masked. */
export function NamedValues({ title, values, onChange }: {
  readonly title: string; readonly values: readonly NamedValue[]; readonly onChange: (values: readonly NamedValue[]) => void;
}): JSX.Element {
  const set = (at: number, change: Partial<NamedValue>): void => onChange(values.map((one, other) => (other === at ? { ...one, ...change } : one)));
  return (
    <fieldset class="field">
      <legend>{title}</legend>
      {values.map(({ name, value }, at) => (
        <div class="row" key={at}>
          <input type="text" class="code short" placeholder="name" aria-label={`${title}: name ${at + 1}`} value={name} onInput={(event) => set(at, { name: event.currentTarget.value })} />
          <input type="password" class="code" autocomplete="off" placeholder="value" aria-label={`${title}: value ${at + 1}`} value={value} onInput={(event) => set(at, { value: event.currentTarget.value })} />
          <button type="button" class="quiet" aria-label={`Remove ${title} ${at + 1}`} onClick={() => onChange(values.filter((_, other) => other !== at))}>×</button>
        </div>
      ))}
      <button type="button" class="small" onClick={() => onChange([...values, { name: '', value: '' }])}>Add</button>
    </fieldset>
  );
}
