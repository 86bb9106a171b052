import { quote } from '../bounds/quote.ts';
import type { Implementation } from './lifecycle.ts';
import { serverInfoKey } from './meta.ts';

/** What every modern result carries. */
export interface ModernResult {
  resultType?: string;
  _meta?: Record<string, unknown>;
}

/**
 * A modern result with its type and the server's name, where it does not say them itself. 2026-07-28
 * basic/index#result-responses: every result says its type, and who made it.
 */
export function stamped<R extends object>(result: R & ModernResult, info: Implementation): R & Required<ModernResult> {
  // No spread: V8 makes of one with members after it an object that is slow to make and slow to write (bench/NOTES.md).
  return Object.assign({}, result, {
    resultType: result.resultType ?? 'complete',
    _meta: { [serverInfoKey]: info, ...result._meta },
  });
}

/**
 * Throws a TypeError for a type of results that is not of the protocol. 2026-07-28 basic/index#resulttype: others are only
 * those of extensions that both sides have.
 */
export function checkCoreType(type: unknown): void {
  if (type !== 'complete' && type !== 'input_required') throw new TypeError(`the handler returned a result of the unknown type ${quote(type)}`);
}
