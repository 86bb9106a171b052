// Keeps the page and its address in sync, so that a reload, a link and the back button work.
import { effect, untracked } from '@preact/signals';
import { visible } from 'barewire/explain';
import { hashOf, placeOf, titleOf } from './address.ts';
import type { State } from './state.ts';

/** Follows the address from the first welcome of the host on. */
export function followAddress(state: State): void {
  let began = false;
  const go = (): void => {
    const place = placeOf(location.hash);
    if (place?.kind === 'wire') state.showWire(place.seq);
    else if (place && state.servers.value.has(place.server)) {
      if (place.args !== undefined) state.linked.value = { server: place.server, tool: place.name, args: place.args };
      state.visit(place.server, place.tab, place.name);
    } else if (place) state.tell(`The address names the server ${visible(place.server.slice(0, 80))}, which does not exist.`, 'bad');
  };
  addEventListener('popstate', () => {
    if (began) untracked(go);
  });
  effect(() => {
    if (!state.welcome.value) return;
    if (!began) untracked(go);
    const server = state.server.value;
    const tab = state.tab.value;
    const name = state.pickedIn(tab);
    state.wire.choose(server);
    document.title = visible(titleOf({ server, tab, name }));
    const hash = server === '' ? '' : hashOf({ kind: 'view', server, tab, name, args: undefined });
    const here = placeOf(location.hash);
    // The address of a message, and the place where the page begins, get no history entry: there is nothing to go back to.
    const same = here?.kind === 'view' && hashOf({ ...here, args: undefined }) === hash;
    try {
      if (!began || same) history.replaceState(null, '', hash || location.pathname);
      else history.pushState(null, '', hash || location.pathname);
    } catch {
      // Some browsers forbid a page that was opened from a file to change its address.
    }
    began = true;
  });
}
