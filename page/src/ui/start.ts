import { h, render } from 'preact';
import type { Connect } from '../messages.ts';
import { App } from './app.tsx';
import { followAddress } from './follow-address.ts';
import type { PageParts } from './page-parts.ts';
import { State } from './state.ts';
import { followTheme } from './theme.ts';

/** Starts the interface in the browser, for any carrier. `parts`: the parts that this page has. */
export function start(root: HTMLElement, connect: Connect, parts: PageParts): void {
  followTheme();
  const state = new State(connect, parts);
  render(h(App, { state }), root);
  followAddress(state);
  state.link.open();
}
