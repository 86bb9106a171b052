import type { Format } from 'barewire/schema';

/** The formats that the playground's server uses. The whole table of `barewire/schema` would add 2 KiB to the file. */
export const formats: Readonly<Record<string, Format>> = {
  date: { test: (text) => /^\d{4}-\d\d-\d\d$/.test(text) && new Date(text).toJSON()?.startsWith(text), hint: 'YYYY-MM-DD' },
  email: /^[^\s@]+@[^\s@.]+(\.[^\s@.]+)*$/,
};
