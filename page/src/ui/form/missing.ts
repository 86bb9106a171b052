// The places of a form that lack what the schema requires, in the order in which the form shows them.
import type { JsonSchema } from 'barewire/schema';
import { below } from '../../json/lexemes.ts';
import { isMembers, resolve, shapeOf, titleOf } from './shape.ts';
import type { Option } from './shape.ts';

const MAX_DEPTH = 10;

/**
 * By path, as the form names it: `lines / 1 / count`; items count from 1. `alternativeAt` says which alternative of a union
 * is shown at a place; the place of a union has the words ''.
 */
export function missingIn(root: JsonSchema, value: unknown, alternativeAt: (path: string, alternatives: readonly Option[], value: unknown) => number): Map<string, string> {
  const found = new Map<string, string>();
  const look = (schema: JsonSchema, at: unknown, path: string, names: readonly string[], required: boolean, depth: number): void => {
    const own = resolve(schema, root);
    const least = Number(own.minItems);
    if (Array.isArray(at) ? at.length < least : at === undefined && required) found.set(path, names.join(' / ') + (least > 1 ? ` (at least ${least})` : ''));
    if (at === undefined || depth > MAX_DEPTH) return;
    const shape = shapeOf(own);
    if (shape.kind === 'union') {
      // The validator speaks of every alternative: only what the chosen one lacks is missing.
      found.set(path, '');
      const chosen = shape.alternatives[alternativeAt(path, shape.alternatives, at)];
      if (chosen) look(chosen.value as JsonSchema, at, path, names, required, depth + 1);
    } else if (shape.kind === 'array' && Array.isArray(at)) {
      at.forEach((item: unknown, index) => look(shape.first[index] ?? shape.items, item, below(path, index), [...names, `${index + 1}`], true, depth + 1));
    } else if (shape.kind === 'object' && isMembers(at)) {
      for (const { name, schema: one, required: must } of shape.properties) {
        look(one, Object.hasOwn(at, name) ? at[name] : undefined, below(path, name), [...names, titleOf(resolve(one, root), name)], must, depth + 1);
      }
      const { more } = shape;
      if (more !== false) for (const name of Object.keys(at)) if (!shape.properties.some((one) => one.name === name)) look(more, at[name], below(path, name), [...names, name], true, depth + 1);
    }
  };
  look(root, value, '', [], true, 0);
  return found;
}
