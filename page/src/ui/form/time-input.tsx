// A time with its zone, as in RFC 3339 and JSON Schema: the browser's own field, and a list of zones next to it.
import type { JSX } from 'preact';
import { common } from './input-props.ts';
import type { InputProps } from './input-props.ts';

type TimeFormat = 'date-time' | 'time';

const written: Readonly<Record<TimeFormat, RegExp>> = {
  'date-time': /^(\d{4}-\d\d-\d\d[Tt]\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?)([Zz]|[+-]\d\d:\d\d)$/,
  time: /^(\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?)([Zz]|[+-]\d\d:\d\d)$/,
};

/** Whether the field can show this value, which may be empty; any other is shown as text. */
export const isTimestamp = (format: TimeFormat, value: unknown): boolean =>
  value === undefined || value === '' || (typeof value === 'string' && written[format].test(value));

/** The UTC offset of this machine at that time, such as `+01:00`. */
function localZone(time: string): string {
  const minutes = -(Number.isNaN(Date.parse(time)) ? new Date() : new Date(time)).getTimezoneOffset();
  const two = (part: number): string => String(Math.floor(Math.abs(part))).padStart(2, '0');
  return minutes === 0 ? 'Z' : `${minutes < 0 ? '-' : '+'}${two(Math.abs(minutes) / 60)}:${two(Math.abs(minutes) % 60)}`;
}

export function TimeInput({ format, ...props }: InputProps & { readonly format: TimeFormat }): JSX.Element {
  const { value, onChange, id } = props;
  const [, time = '', zone = ''] = written[format].exec(typeof value === 'string' ? value : '') ?? [];
  const set = (text: string, at: string): void => {
    if (text === '') return onChange(undefined);
    // A browser omits seconds that are zero.
    onChange(`${/:\d\d:/.test(text) ? text : `${text}:00`}${at}`);
  };
  const here = localZone(time);
  const zones = [...new Set([here, 'Z', ...zone === '' ? [] : [zone.toUpperCase()]])];
  return (
    <div class="with-side times">
      <input type={format === 'time' ? 'time' : 'datetime-local'} step={1} {...common(props)} value={time.toUpperCase()}
        onInput={(event) => set(event.currentTarget.value, zone || here)} />
      <select aria-label="Zone" id={`${id}-z`} value={zone.toUpperCase() || here} onChange={(event) => set(time, event.currentTarget.value)}>
        {zones.map((one) => <option key={one} value={one}>{one === 'Z' ? 'UTC' : one}</option>)}
      </select>
    </div>
  );
}
