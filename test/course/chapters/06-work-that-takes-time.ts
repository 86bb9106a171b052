import { check } from '../chapter.ts';
import type { Chapter } from '../chapter.ts';
import { late } from '../desk.ts';
import type { Desk } from '../desk.ts';
import { demand } from '../fault.ts';
import type { Talk } from '../talk.ts';
import { said } from './04-tools.ts';

const progress = '2025-11-25 basic/utilities/progress#behavior-requirements';
const cancellation = '2025-11-25 basic/utilities/cancellation#behavior-requirements';

/** Asks for the number of waiting calls until it is `many`: a call may begin or end a moment after its message. */
async function untilWaiting(server: Talk, desk: Desk, many: string): Promise<void> {
  const deadline = Date.now() + desk.options.patienceMs;
  const before = desk.passed.length;
  for (let turn = 1; ; turn++) {
    // The report shows only the last request.
    desk.passed.length = before;
    const answer = await server.ask({ id: `${many} waiting? ${turn}`, method: 'tools/call', params: { name: 'waiting' } }, {});
    const words = (answer['result'] as { content?: readonly { text?: string }[] } | undefined)?.content?.[0]?.text;
    if (words === many) return;
    if (Date.now() > deadline) demand(many, words, 'the number of calls that wait');
    await late(20);
  }
}

export const workThatTakesTime: Chapter = {
  number: 6,
  title: 'Work that takes time',
  checks: [
    check('count tells its progress, with the token of the call, and then answers', '2025-11-25 progress-11', async (desk) => {
      const server = await desk.opened();
      for (const token of ['first', 2]) {
        server.say({ id: `count ${token}`, method: 'tools/call', params: { name: 'count', arguments: { to: 3 }, _meta: { progressToken: token } } });
        for (const step of [1, 2, 3]) {
          await server.expect({ method: 'notifications/progress', params: { progressToken: token, progress: step, total: 3 } }, `progress ${step} of 3`);
        }
        await server.expect({ id: `count ${token}`, result: said('counted to 3') }, 'the answer of count');
      }
    }),
    check('a call without a token gets no progress', '2025-11-25 progress-3', async (desk) => {
      const server = await desk.opened();
      await server.ask({ id: 1, method: 'tools/call', params: { name: 'count', arguments: { to: 4 } } }, { result: said('counted to 4') });
    }),
    check('while a call waits, others are answered', '2025-11-25 ping-1', async (desk) => {
      const server = await desk.opened();
      server.say({ id: 'wait', method: 'tools/call', params: { name: 'wait' } });
      await server.ask({ id: 'ping', method: 'ping' }, { result: {} });
      await untilWaiting(server, desk, '1');
    }),
    check('a call that is cancelled stops, and is not answered', '2025-11-25 cancellation-10', async (desk) => {
      const server = await desk.opened();
      server.say({ id: 'one', method: 'tools/call', params: { name: 'wait' } });
      server.say({ id: 2, method: 'tools/call', params: { name: 'wait' } });
      await untilWaiting(server, desk, '2');
      server.say({ method: 'notifications/cancelled', params: { requestId: 'one', reason: 'no time' } });
      await untilWaiting(server, desk, '1');
      server.say({ method: 'notifications/cancelled', params: { requestId: 2 } });
      await server.ask({ id: 'after', method: 'ping' }, { result: {} });
    }),
    check('the calls 2 and "2" are two calls: each is cancelled by its own id', cancellation, async (desk) => {
      const server = await desk.opened();
      for (const id of [2, '2']) server.say({ id, method: 'tools/call', params: { name: 'wait' } });
      await untilWaiting(server, desk, '2');
      server.say({ method: 'notifications/cancelled', params: { requestId: '2' } });
      await untilWaiting(server, desk, '1');
      server.say({ method: 'notifications/cancelled', params: { requestId: 2 } });
      await untilWaiting(server, desk, '0');
    }),
    check('what cannot be cancelled any more is ignored', '2025-11-25 cancellation-13', async (desk) => {
      const server = await desk.opened();
      server.say({ method: 'notifications/cancelled', params: { requestId: 'nobody' } });
      server.say({ method: 'notifications/cancelled' });
      await server.ask({ id: 1, method: 'ping' }, { result: {} });
      server.end();
      demand(0, await server.program.ended('the program to end when its stdin is closed', desk.options.patienceMs), 'the exit code');
    }),
    check('the end of stdin ends the program, also while a call waits', '2025-11-25 basic/lifecycle#shutdown', async (desk) => {
      const server = await desk.opened();
      server.say({ id: 'wait', method: 'tools/call', params: { name: 'wait' } });
      await server.ask({ id: 1, method: 'ping' }, { result: {} });
      server.end();
      await server.program.ended('the program to end when its stdin is closed', desk.options.patienceMs);
    }),
  ],
};
