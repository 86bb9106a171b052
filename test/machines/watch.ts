/** The observed part of a class. */
interface Watched<T> {
  readonly prototype: T;
}

/** Undoes an observation. */
export type Undo = () => void;

/** The names of the methods of a type. */
type MethodOf<T> = { [K in keyof T]: T[K] extends (...args: never[]) => unknown ? K : never }[keyof T];
type Args<T, K extends MethodOf<T>> = T[K] extends (...args: infer A) => unknown ? A : never;
type Result<T, K extends MethodOf<T>> = T[K] extends (...args: never[]) => infer R ? R : never;

/** Wraps a method for all objects of a class: `around` calls the original as `next`. */
export function watchMethod<T extends object, K extends MethodOf<T> & string>(
  { prototype }: Watched<T>, name: K, around: (self: T, next: (...args: Args<T, K>) => Result<T, K>, ...args: Args<T, K>) => Result<T, K>,
): Undo {
  const own = Object.getOwnPropertyDescriptor(prototype, name);
  const method: unknown = own?.value;
  if (typeof method !== 'function') throw new Error(`${name} is no method`);
  Object.defineProperty(prototype, name, {
    ...own,
    value(this: T, ...given: Args<T, K>): Result<T, K> {
      return around(this, (...args) => Reflect.apply(method, this, args), ...given);
    },
  });
  return () => void Object.defineProperty(prototype, name, own as PropertyDescriptor);
}

/** Observes a field, set by the constructor, in all objects of a class. */
export function watchField<T extends object, K extends keyof T & string>(
  { prototype }: Watched<T>, name: K, changed: (self: T, before: T[K] | undefined, after: T[K]) => void,
): Undo {
  if (Object.hasOwn(prototype, name)) throw new Error(`${name} is no field`);
  const values = new WeakMap<T, T[K]>();
  Object.defineProperty(prototype, name, {
    configurable: true,
    get(this: T) {
      return values.get(this);
    },
    set(this: T, value: T[K]) {
      const before = values.get(this);
      values.set(this, value);
      if (before !== value) changed(this, before, value);
    },
  });
  return () => void Reflect.deleteProperty(prototype, name);
}
