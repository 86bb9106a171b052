import { h, render } from 'preact';
import type { Connect } from '../messages.ts';
import { App } from './app.tsx';
import { State } from './state.ts';
import { followTheme } from './theme.ts';

/** The interface in the browser begins here, whatever carries its messages. */
export function start(root: HTMLElement, connect: Connect): void {
  followTheme();
  const state = new State(connect);
  render(h(App, { state }), root);
  state.link.open();
}
