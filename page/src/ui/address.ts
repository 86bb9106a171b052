// The address of the page: the server, view and item that are shown, such as `#/zoo/tools/echo?args=…` or `#/wire/145`. It only refers to
// things that exist; it never starts, adds or sends anything.
import { isTab } from './tabs.ts';
import type { Tab } from './tabs.ts';

/** The target of an address. */
export type Place =
  | { readonly kind: 'wire'; readonly seq: number }
  /** `name` '': no item is selected. `args`: an arbitrary text from the address. */
  | { readonly kind: 'view'; readonly server: string; readonly tab: Tab; readonly name: string; readonly args: string | undefined };

/** Longer addresses are ignored. */
const maxChars = 20_000;

/** The place that a fragment names; undefined if it names none. */
export function placeOf(hash: string): Place | undefined {
  if (!hash.startsWith('#/') || hash.length > maxChars) return undefined;
  const [path = '', query = ''] = hash.slice(2).split(/\?(.*)/s);
  let steps: string[];
  try {
    steps = path.split('/').map(decodeURIComponent);
  } catch {
    return undefined;
  }
  const [server = '', tab = 'overview', name = ''] = steps;
  if (server === 'wire' && steps.length === 2 && /^[1-9]\d{0,14}$/.test(tab)) return { kind: 'wire', seq: Number(tab) };
  if (server === '' || steps.length > 3 || !isTab(tab)) return undefined;
  return { kind: 'view', server, tab, name, args: tab === 'tools' ? new URLSearchParams(query).get('args') ?? undefined : undefined };
}

/** The fragment of a place. */
export function hashOf(place: Place): string {
  if (place.kind === 'wire') return `#/wire/${place.seq}`;
  const { server, tab, name, args } = place;
  const path = [server, ...tab === 'overview' && name === '' ? [] : [tab], ...name === '' ? [] : [name]].map(encodeURIComponent).join('/');
  return `#/${path}${args === undefined ? '' : `?${new URLSearchParams({ args }).toString()}`}`;
}

/** The title of the window. */
export function titleOf({ server, tab, name }: { readonly server: string; readonly tab: Tab; readonly name: string }): string {
  return [...name === '' ? [] : [name.slice(0, 80)], ...tab === 'overview' || name !== '' ? [] : [tab], ...server === '' ? [] : [server.slice(0, 60)], 'barewire'].join(' · ');
}
