// The address of the page: which server, view and thing are shown. `#/zoo/tools/echo?args=…`, `#/wire/145`. It names what is
// here already; nothing that it says is started, added or sent.
import { isTab } from './tabs.ts';
import type { Tab } from './tabs.ts';

/** Where an address leads. */
export type Place =
  | { readonly kind: 'wire'; readonly seq: number }
  /** `name` '': nothing is picked. `args`: a text that came with the address; it may be anything. */
  | { readonly kind: 'view'; readonly server: string; readonly tab: Tab; readonly name: string; readonly args: string | undefined };

/** The most characters of an address that are read. */
const maxChars = 20_000;

/** Undefined: the address names no place. */
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

/** The fragment that leads to a place. */
export function hashOf(place: Place): string {
  if (place.kind === 'wire') return `#/wire/${place.seq}`;
  const { server, tab, name, args } = place;
  const path = [server, ...tab === 'overview' && name === '' ? [] : [tab], ...name === '' ? [] : [name]].map(encodeURIComponent).join('/');
  return `#/${path}${args === undefined ? '' : `?${new URLSearchParams({ args }).toString()}`}`;
}

/** What the window is called. */
export function titleOf({ server, tab, name }: { readonly server: string; readonly tab: Tab; readonly name: string }): string {
  return [...name === '' ? [] : [name.slice(0, 80)], ...tab === 'overview' || name !== '' ? [] : [tab], ...server === '' ? [] : [server.slice(0, 60)], 'barewire'].join(' · ');
}
