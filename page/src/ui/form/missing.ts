// Finds the places of a form without a required value, in the order of the form.
import type { JsonSchema } from 'barewire/schema';
import { below } from '../../json/lexemes.ts';
import { isMembers, resolve, shapeOf, titleOf } from './shape.ts';
import type { Option } from './shape.ts';

const MAX_DEPTH = 10;

/**
 * The missing places: their names in the form by path, such as `lines / 1 / count`; items count from 1. `alternativeAt` returns the
 * alternative of a union that is shown; the path of a union has the name ''.
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
      // The validator reports every alternative, but only the chosen one counts here.
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
