// The page and its address keep up with each other, so that a reload, a link and the back button find the place again.
import { effect, untracked } from '@preact/signals';
import { visible } from 'barewire/explain';
import { hashOf, placeOf, titleOf } from './address.ts';
import type { State } from './state.ts';

/** Follows from now on. Begins when the host has said what there is. */
export function followAddress(state: State): void {
  let began = false;
  const go = (): void => {
    const place = placeOf(location.hash);
    if (place?.kind === 'wire') state.showWire(place.seq);
    else if (place && state.servers.value.has(place.server)) {
      if (place.args !== undefined) state.linked.value = { server: place.server, tool: place.name, args: place.args };
      state.visit(place.server, place.tab, place.name);
    } else if (place) state.tell(`The address names the server ${visible(place.server.slice(0, 80))}, and there is none of this name.`, 'bad');
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
    // A link to a message stays, and so does the address with the place where the page begins: there is nothing to go back to.
    const same = here?.kind === 'view' && hashOf({ ...here, args: undefined }) === hash;
    try {
      if (!began || same) history.replaceState(null, '', hash || location.pathname);
      else history.pushState(null, '', hash || location.pathname);
    } catch {
      // Some browsers forbid a file from a disk to change its address.
    }
    began = true;
  });
}
