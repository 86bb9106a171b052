import type { JSX } from 'preact';
import type { ServerView } from '../../messages.ts';
import { useState } from '../context.ts';
import { connect } from './connect.ts';

/** Says why a list is empty, and offers to connect or log in if the server is not connected. */
export function NothingListed({ server, what }: { readonly server: ServerView; readonly what: string }): JSX.Element {
  const state = useState();
  const { Login } = state.parts;
  if (server.agreed) return <>The server has no {what}.</>;
  if (Login && (server.login === 'needed' || server.login === 'under-way')) return <Login server={server} />;
  return <><button type="button" class="primary" disabled={server.disabled || server.state === 'starting'} onClick={() => void connect(state, server.name)}>Connect</button> to see its {what}.</>;
}
