import { ActionError } from '../host-link.ts';
import type { State } from '../state.ts';

/** Connects a server on request of the person. If it needs a login, starts one; the person opens its address. */
export async function connect(state: State, server: string): Promise<void> {
  try {
    await state.link.act('server.connect', { server });
    state.notices.well(server);
  } catch (thrown) {
    if (!(thrown instanceof ActionError) || thrown.failure.code === 'cancelled') return;
    if (thrown.failure.code === 'login-needed' && state.parts.logIn && state.welcome.value?.features.login) await state.parts.logIn(state, server);
    else state.tell(thrown.message, 'bad', server);
  }
}
