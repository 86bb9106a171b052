import type { Scene } from '../scene.ts';

/** 2025-11-25 basic/lifecycle#stdio: the input is closed, then SIGTERM, then SIGKILL. */
export const stays: Scene = {
  name: 'a server that does not end', rules: ['lifecycle-16', 'lifecycle-17'], stays: true,
  suits: ({ place }, way) => way === 'pipe' && place >= 3,
  after({ visit }) {
    const { leavings } = visit;
    if (visit.messages.length < 2 || !leavings.includes('input')) return;
    if (visit.ended === undefined) {
      // The specification does not say how long a client may wait for the end of its server.
      if (leavings.includes('signal') && !leavings.includes('killed')) visit.dispute('lifecycle-16', 'SIGKILL to a server that does not end on SIGTERM', `the client: ${leavings.join(', then ')}; it waits for its server`);
      return;
    }
    const said = `the client: ${leavings.join(', then ')}; ${visit.ended}`;
    visit.check('lifecycle-17', leavings.includes('signal'), 'SIGTERM to a server that does not end when its input is closed', said);
    if (leavings.includes('signal')) visit.check('lifecycle-16', leavings.includes('killed'), 'SIGKILL to a server that does not end on SIGTERM', said);
  },
};
