/**
 * `barewire/transport/testing`: `transportTests`: tests that every transport must pass.
 *
 * @module
 */

import { endingTests } from './ending-tests.ts';
import { hostileTests, messageTests } from './message-tests.ts';
import { published } from './transport-test.ts';
import type { TransportTest } from './transport-test.ts';

export type { OpenedTransport, OpenOptions, OpenTransport, TransportTest } from './transport-test.ts';

/** Tests that every transport must pass: `for (const { name, run } of transportTests) test(name, () => run(open))`. */
export const transportTests: readonly TransportTest[] = /* @__PURE__ */ [...messageTests, ...hostileTests, ...endingTests].map(published);
