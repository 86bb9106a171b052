import type { Scene } from '../scene.ts';
import type { Received } from '../visit.ts';

/** A call that is never answered. A client that gives it up must say so. */
export const slow: Scene = {
  name: 'a call that is never answered', rules: ['cancellation-1', 'cancellation-19', 'cancellation-21', 'cancellation-23', 'tools-11', 'transports-30', 'cancellation-6', 'cancellation-4', 'cancellation-5', 'schema-2'],
  suits: ({ place }) => place >= 3,
  answer({ notes }, message) {
    if (message.method !== 'tools/call' || notes.has('hangs')) return false;
    notes.set('hangs', message);
    return true;
  },
  after({ visit, notes }) {
    const call = notes.get('hangs') as Received | undefined;
    if (!call) return;
    const cancelled = visit.messages.find((one) => one.method === 'notifications/cancelled' && one.params['requestId'] === call.id);
    const later = visit.messages.find((one) => one.place > call.place && one.id !== undefined && one.method !== undefined && one.method !== 'ping');
    if (cancelled) {
      visit.check(['cancellation-6', 'cancellation-1', 'cancellation-19', 'cancellation-21', 'tools-11'], true, 'notifications/cancelled for the call', cancelled);
      if (visit.way === 'pipe') visit.check('cancellation-23', true, 'notifications/cancelled with the id of the call', cancelled);
      if (visit.way === 'http' && !visit.modern) visit.check('transports-30', true, 'notifications/cancelled for the call', cancelled);
      return;
    }
    // 2026-07-28 over HTTP: the end of the stream is the cancellation.
    if (visit.modern && visit.way === 'http') return;
    const other = visit.messages.find(({ method, params, place }) => place > call.place && method !== undefined && method.startsWith('notifications/') && method !== 'notifications/cancelled' && params['requestId'] === call.id);
    if (other) visit.dispute('cancellation-6', 'notifications/cancelled for the call', other);
    const wrong = visit.messages.find((one) => one.method === 'notifications/cancelled' && one.place > call.place);
    if (wrong && visit.modern) visit.check('cancellation-23', false, `notifications/cancelled with requestId ${JSON.stringify(call.id)}`, wrong);
    // Without the notification, a call that was given up looks like one that still waits in parallel.
    else if (later) {
      for (const rule of ['cancellation-21', 'cancellation-1', visit.modern ? 'cancellation-23' : 'transports-30']) {
        if (rule !== 'transports-30' || visit.way === 'http') visit.dispute(rule, 'notifications/cancelled for the call before the client goes on', later);
      }
    }
  },
};
