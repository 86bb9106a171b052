// Filters that the person keeps, in this browser.
const key = 'barewire-filters';
const most = 20;
const maxChars = 2_000;

/** Kept while the page is open where the browser keeps nothing. */
let held: readonly string[] = [];

function read(): readonly string[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(key) ?? 'null');
    if (Array.isArray(kept)) held = kept.filter((one: unknown): one is string => typeof one === 'string' && one.length <= maxChars).slice(0, most);
  } catch {
    // A file from a disk may have no storage.
  }
  return held;
}

/** Filters that are kept; `toggle` keeps one, or forgets it. Both return all that are kept, the newest first. */
export const savedFilters = {
  read,
  toggle(filter: string): readonly string[] {
    const others = read().filter((one) => one !== filter);
    held = others.length < held.length ? others : [filter, ...others].slice(0, most);
    try {
      localStorage.setItem(key, JSON.stringify(held));
    } catch {
      // As above.
    }
    return held;
  },
};
