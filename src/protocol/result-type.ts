import { quote } from '../bounds/quote.ts';
import type { Implementation } from './lifecycle.ts';
import { serverInfoKey } from './meta.ts';

/** The common members of all modern results. */
export interface ModernResult {
  resultType?: string;
  _meta?: Record<string, unknown>;
}

/**
 * Adds `resultType` and the server's info to a modern result, if it lacks them. 2026-07-28 basic/index#result-responses:
 * every result has both.
 */
export function stamped<R extends object>(result: R & ModernResult, info: Implementation): R & Required<ModernResult> {
  // No spread: with members after it, V8 creates an object that is slow to create and to serialize (bench/NOTES.md).
  return Object.assign({}, result, {
    resultType: result.resultType ?? 'complete',
    _meta: { [serverInfoKey]: info, ...result._meta },
  });
}

/**
 * Throws a TypeError for a result type outside the core protocol. 2026-07-28 basic/index#resulttype: other types need an
 * extension that both sides have.
 */
export function checkCoreType(type: unknown): void {
  if (type !== 'complete' && type !== 'input_required') throw new TypeError(`the handler returned a result of the unknown type ${quote(type)}`);
}
