import { h, render } from 'preact';
import type { Connect } from '../messages.ts';
import { App } from './app.tsx';
import { followAddress } from './follow-address.ts';
import type { PageParts } from './page-parts.ts';
import { State } from './state.ts';
import { followTheme } from './theme.ts';

/** The interface in the browser begins here, whatever carries its messages. `parts`: what this page has that another has not. */
export function start(root: HTMLElement, connect: Connect, parts: PageParts): void {
  followTheme();
  const state = new State(connect, parts);
  render(h(App, { state }), root);
  followAddress(state);
  state.link.open();
}
