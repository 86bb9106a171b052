// Filters that the person saves, in this browser.
const key = 'barewire-filters';
const most = 20;
const maxChars = 2_000;

/** The saved filters. Without storage they last as long as the page. */
let held: readonly string[] = [];

function read(): readonly string[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(key) ?? 'null');
    if (Array.isArray(kept)) held = kept.filter((one: unknown): one is string => typeof one === 'string' && one.length <= maxChars).slice(0, most);
  } catch {
    // A page opened from a file may have no storage.
  }
  return held;
}

/** Saved filters; `toggle` saves one, or removes it. Both return all saved filters, the newest first. */
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
