import { isObject } from '../jsonrpc/internal-exports.ts';
import type { LoggingLevel } from '../protocol/index.ts';

/** The message that ends a run of a tool: its answer, or a question. */
export type Saying =
  | { readonly kind: 'result'; readonly value: unknown }
  | { readonly kind: 'error'; readonly message: string; readonly code?: string }
  | { readonly kind: 'ask'; readonly message: string; readonly schema: Record<string, unknown> }
  | { readonly kind: 'call'; readonly name: string; readonly params: Record<string, unknown> };

/** A message that a tool writes while it runs. */
export type Aside =
  | { readonly kind: 'progress'; readonly progress: number; readonly total?: number; readonly message?: string }
  | { readonly kind: 'log'; readonly level: LoggingLevel; readonly data: unknown }
  | { readonly kind: 'partial'; readonly value: unknown };

const levels: readonly string[] = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];

/** Parses one line of a tool's stdout. Undefined if it is not a message of a tool. */
export function readSaying(text: string): Saying | Aside | undefined {
  let line: unknown;
  try {
    line = JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
  if (!isObject(line)) return undefined;
  if ('result' in line) return { kind: 'result', value: line['result'] };
  if ('error' in line) return readError(line['error']);
  if ('progress' in line) return readProgress(line['progress']);
  if ('log' in line) return readLog(line['log']);
  if ('partial' in line) return { kind: 'partial', value: line['partial'] };
  const { ask, call } = line;
  if (isObject(ask) && typeof ask['message'] === 'string') {
    const { message, schema } = ask;
    return { kind: 'ask', message, schema: isObject(schema) ? schema : { type: 'object', properties: {} } };
  }
  if (isObject(call) && typeof call['name'] === 'string') {
    const { name, params } = call;
    return { kind: 'call', name, params: isObject(params) ? params : {} };
  }
  return undefined;
}

function readError(error: unknown): Saying {
  if (!isObject(error)) return { kind: 'error', message: typeof error === 'string' ? error : 'it failed' };
  const { message, code } = error;
  return {
    kind: 'error',
    message: typeof message === 'string' ? message : 'it failed',
    ...typeof code === 'string' || typeof code === 'number' ? { code: String(code) } : {},
  };
}

/** A number, or an object with `progress`, `total` and `message`. */
function readProgress(said: unknown): Aside | undefined {
  const { progress, total, message } = isObject(said) ? said : { progress: said };
  // JSON can contain numbers that are infinite in JavaScript.
  if (typeof progress !== 'number' || !Number.isFinite(progress)) return undefined;
  return {
    kind: 'progress', progress,
    ...typeof total === 'number' && Number.isFinite(total) && { total },
    ...typeof message === 'string' && { message },
  };
}

/** Any JSON, or an object with `level` and `data`. */
function readLog(said: unknown): Aside {
  if (isObject(said) && typeof said['level'] === 'string' && levels.includes(said['level'])) {
    return { kind: 'log', level: said['level'] as LoggingLevel, data: said['data'] ?? said['message'] ?? null };
  }
  return { kind: 'log', level: 'info', data: said };
}
