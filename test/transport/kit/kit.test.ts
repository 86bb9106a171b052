// In a separate process: the tests measure the budget of the whole process.
import test from 'node:test';
import { transportTests } from '../../../src/transport/testing/index.ts';
import type { OpenTransport } from '../../../src/transport/testing/index.ts';
import { everyNth } from '../../every-nth.ts';
import { fetchHttp, memory, messagePorts, nodeHttp, serialFrames, serialLines, stdio, unixSocket } from './transports.ts';

const transports: Readonly<Record<string, OpenTransport>> = {
  memory, messagePorts, serialLines, serialFrames, stdio, unixSocket, nodeHttp, fetchHttp,
};

for (const [place, [name, open]] of Object.entries(transports).entries()) {
  test(`every transport: ${name}`, async (t) => {
    // HTTP tests take longest: a request and its stream need several round trips. Each transport takes other tests.
    const step = name.endsWith('Http') ? everyNth(8) : name.startsWith('me') ? 1 : everyNth(6);
    for (const one of transportTests.filter((_, at) => (at + place) % step === 0)) {
      await t.test(`${one.role}: ${one.name}`, async (tt) => {
        const reason = await one.run(open);
        if (reason !== undefined) tt.skip(reason);
      });
    }
  });
}
