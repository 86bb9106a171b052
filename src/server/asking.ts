import { systemClock } from '../bounds/clock.ts';
import { checkOptions } from '../bounds/options.ts';
import type { Context } from './context.ts';
import type { ExchangeClasses } from './exchange.ts';
import { LegacyExchange } from './legacy/legacy-exchange.ts';
import { openQuestions, requestStateSealer, requestStateShape } from './modern/request-state.ts';
import type { RequestStateOptions, RequestStateSealer } from './modern/request-state.ts';
import { ModernExchange } from './modern/modern-exchange.ts';

/** Options of `asking`: how `requestState` is sealed (2026-07-28), and a listener for changed roots (legacy). */
export interface AskingOptions extends RequestStateOptions {
  /** Called when a legacy client's roots have changed. */
  readonly onRootsChanged?: (() => void) | undefined;
}

/** The server's side of questions from handlers: `ctx.elicit`, `ctx.elicitUrl`, `ctx.sample`, `ctx.roots`, in both eras. */
export function asking(given: AskingOptions = {}): ExchangeClasses<Context> {
  checkOptions('asking: options', given, { ...requestStateShape, onRootsChanged: 'function' });
  const { onRootsChanged, ...options } = given;
  let clock = systemClock;
  const questions = openQuestions(() => clock.now());
  // With given keys, other processes can open the states too, so they do not count as open questions of this process.
  const seal = (): RequestStateSealer => requestStateSealer(options, options.keys ? undefined : questions, clock);
  const exchanges: ExchangeClasses<Context> & { sealer: RequestStateSealer } = {
    questions,
    sealer: seal(),
    attach(given) {
      clock = given;
      exchanges.sealer = seal();
    },
    legacy: LegacyExchange,
    modern: ModernExchange,
    heard({ method }, failures) {
      if (method !== 'notifications/roots/list_changed') return;
      try {
        onRootsChanged?.();
      } catch (thrown) {
        failures.alarm(thrown, { what: 'notification', name: method });
      }
    },
  };
  return exchanges;
}
