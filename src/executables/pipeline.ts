import { isObject } from '../jsonrpc/internal-exports.ts';
import { quote } from '../bounds/quote.ts';
import { readDescription } from './description.ts';
import type { ToolDescription } from './description.ts';

/** One step: a tool of the folder or another pipeline, and its input. */
export interface PipelineStep {
  readonly tool: string;
  /** Any JSON. Strings that are references are replaced by values: see `resolveReferences`. */
  readonly params: unknown;
}

/** A sequence of tools that acts as one tool. */
export interface Pipeline extends ToolDescription {
  readonly steps: readonly PipelineStep[];
  /** The result of the pipeline, with references; default: the result of the last step. */
  readonly result?: unknown;
}

/** The values that references name: the pipeline's parameters, and the results of earlier steps. */
export interface PipelineValues {
  readonly params: unknown;
  readonly steps: readonly unknown[];
}

/** A reference to a missing value. */
export class ReferenceFault extends Error {}

const reference = /^\$(params|last|steps\.\d+)((?:\.[^.]+)*)$/;
const maxSteps = 50;

/**
 * Reads pipeline.json: one pipeline or an array of them. Each has the members of a description by `--schema`, and
 * `steps`:
 *
 *     { "name": "report", "parameters": { "properties": { "url": { "type": "string" } } },
 *       "steps": [ { "tool": "fetch", "params": { "url": "$params.url" } }, { "tool": "count", "params": { "text": "$last" } } ] }
 *
 * Throws if the text is malformed.
 */
export function readPipelines(text: string): Pipeline[] {
  const read = JSON.parse(text) as unknown;
  return (Array.isArray(read) ? read as unknown[] : [read]).map((one) => {
    const description = readDescription(one);
    const fault = (why: string): Error => new Error(`pipeline ${description.name}: ${why}`);
    const { steps, result } = one as Record<string, unknown>;
    if (!Array.isArray(steps) || steps.length === 0) throw fault('it has no steps');
    if (steps.length > maxSteps) throw fault(`it has more than ${maxSteps} steps`);
    const check = (value: unknown, at: number): void => {
      for (const name of references(value)) {
        const [, root = ''] = reference.exec(name) ?? [];
        if (root === '') throw fault(`${quote(name)} is unknown; there are $params, $last and $steps.N, and $$ for a $`);
        const number = root.startsWith('steps.') ? Number(root.slice(6)) : root === 'last' ? at - 1 : -1;
        if (number >= at || (root === 'last' && at === 0)) throw fault(`${name} is not known before step ${at}`);
      }
    };
    const read = (steps as unknown[]).map((step, at): PipelineStep => {
      if (!isObject(step) || typeof step['tool'] !== 'string') throw fault(`step ${at} names no tool`);
      check(step['params'], at);
      return { tool: step['tool'], params: step['params'] ?? {} };
    });
    check(result, read.length);
    return { ...description, steps: read, ...result !== undefined && { result } };
  });
}

/** Every string of a value that begins with a single `$`. */
function references(value: unknown): string[] {
  if (typeof value === 'string') return value.startsWith('$') && !value.startsWith('$$') ? [value] : [];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(references) : [];
}

/**
 * A value with its references replaced: `$params` and `$params.a.b`, `$last` for the result of the step before,
 * `$steps.0` for the result of the first step. `$$x` is the text `$x`. Throws `ReferenceFault` if a referenced value
 * is missing.
 */
export function resolveReferences(value: unknown, values: PipelineValues): unknown {
  if (typeof value === 'string') {
    if (value.startsWith('$$')) return value.slice(1);
    return value.startsWith('$') ? resolve(value, values) : value;
  }
  if (Array.isArray(value)) return value.map((item) => resolveReferences(item, values));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, resolveReferences(item, values)]));
}

function resolve(name: string, { params, steps }: PipelineValues): unknown {
  const [, root = '', path = ''] = reference.exec(name) ?? [];
  let at: unknown = root === 'params' ? params : root === 'last' ? steps.at(-1) : steps[Number(root.slice(6))];
  for (const key of path.split('.').slice(1)) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) throw new ReferenceFault(`there is no ${name}`);
    at = (at as Record<string, unknown>)[key];
  }
  return at;
}
