import type { Node, SchemaResource, Run } from '../model.ts';
import { dynamicAnchor } from './references.ts';

/** The current target of a `$ref` or a `$dynamicRef` (2020-12 core 8.2.3.2). */
export function goalOf({ keywords, target, dynamicTarget }: Node, dynamic: boolean, run: Run): Node | undefined {
  if (!dynamic) return target;
  const to = typeof keywords === 'object' ? keywords.$dynamicRef ?? '' : '';
  const name = to.slice(to.indexOf('#') + 1);
  let goal = dynamicTarget;
  if (!goal?.resource || dynamicAnchor(goal.resource, name) !== goal) return goal;
  // The outermost resource with the anchor wins.
  for (let { scope } = run; scope; scope = scope.outer) {
    goal = (scope.resource && dynamicAnchor(scope.resource, name)) ?? goal;
  }
  return goal;
}

/** Runs `act` with a resource as the innermost of the dynamic scope. */
export function within<T, R>(resource: SchemaResource | undefined, act: (value: T, run: Run) => R, value: T, run: Run): R {
  const { scope } = run;
  if (scope?.resource !== resource) run.scope = { resource, outer: scope };
  const result = act(value, run);
  run.scope = scope;
  return result;
}
