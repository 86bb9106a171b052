import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { State } from './state.ts';

const StateContext = createContext<State | undefined>(undefined);

export const StateProvider: typeof StateContext.Provider = StateContext.Provider;

/** The state of the page. */
export function useState(): State {
  const state = useContext(StateContext);
  if (!state) throw new Error('there is no state around this part of the page');
  return state;
}
