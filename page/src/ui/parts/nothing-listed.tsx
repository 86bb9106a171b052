import type { JSX } from 'preact';
import type { ServerView } from '../../messages.ts';
import { useState } from '../context.ts';

/** Why a list is empty, and the way out where the server does not run. */
export function NothingListed({ server, what }: { readonly server: ServerView; readonly what: string }): JSX.Element {
  const state = useState();
  if (server.agreed) return <>The server has no {what}.</>;
  return <><button type="button" class="primary" disabled={server.disabled || server.state === 'starting'} onClick={() => void state.run('server.connect', { server: server.name })}>Connect</button> to see its {what}.</>;
}
