/**
 * The TypeScript type of the values that a JSON Schema describes, for the part of JSON Schema that people write in tools: objects
 * with required, optional and additional properties, arrays and tuples, `enum`, `const`, `anyOf`, `oneOf`, `allOf`, lists of types,
 * and `$ref` to `#`, `#/$defs/…` and `#/definitions/…`. Other keywords do not narrow the type. The schema must be known literally:
 * `function tool<const S>(schema: S)` infers it so, without `as const`; from a value of the type `JsonSchema`, the type is
 * `unknown`.
 *
 * An object schema with `properties` but without `additionalProperties` gives a type without additional properties, so that a
 * misspelt name is an error.
 *
 * @template S the schema
 * @template Filled whether properties with a `default` are certainly there, as they are after `fillDefaults`
 */
export type FromSchema<S, Filled extends boolean = false> = Infer<S, S, Filled>;

type Infer<S, Root, F extends boolean> =
  S extends { readonly $ref: infer R } ? Referred<R, Root, F>
  : S extends { readonly anyOf: infer L } ? And<Base<S, Root, F>, OneOf<L, Root, F>>
  : S extends { readonly oneOf: infer L } ? And<Base<S, Root, F>, OneOf<L, Root, F>>
  : S extends { readonly allOf: infer L } ? And<Base<S, Root, F>, AllOf<L, Root, F>>
  : S extends false ? never
  : Base<S, Root, F>;

type Base<S, Root, F extends boolean> =
  S extends { readonly const: infer C } ? C
  : S extends { readonly enum: readonly (infer E)[] } ? E
  : S extends { readonly type: infer T } ? Typed<T extends readonly (infer U)[] ? U : T, S, Root, F>
  : S extends { readonly properties: unknown } ? ObjectOf<S, Root, F>
  : S extends { readonly required: readonly (infer K extends string)[] } ? { [P in K]: unknown }
  : S extends { readonly items: unknown } | { readonly prefixItems: unknown } ? ArrayOf<S, Root, F>
  : unknown;

type Typed<T, S, Root, F extends boolean> =
  T extends 'string' ? string
  : T extends 'number' | 'integer' ? number
  : T extends 'boolean' ? boolean
  : T extends 'null' ? null
  : T extends 'array' ? ArrayOf<S, Root, F>
  : T extends 'object' ? ObjectOf<S, Root, F>
  : unknown;

// Objects.

type ObjectOf<S, Root, F extends boolean> =
  S extends { readonly properties: infer P } ?
    FlatObject<
      { -readonly [K in keyof P as K extends PresentNames<S, P, F> ? K : never]: Infer<P[K], Root, F> } & {
        -readonly [K in keyof P as K extends PresentNames<S, P, F> ? never : K]?: Infer<P[K], Root, F>;
      } & { [K in Exclude<Required<S>, keyof P>]: unknown } & (Rest<S> extends never ? unknown
        : { [name: string]: unknown })
    >
  : [Rest<S>] extends [never] ?
    [Required<S>] extends [never] ?
      { [name: string]: unknown }
    : { [K in Required<S>]: unknown }
  : FlatObject<{ [name: string]: Infer<Rest<S>, Root, F> } & { [K in Required<S>]: Infer<Rest<S>, Root, F> }>;

type Required<S> = S extends { readonly required: readonly (infer K extends string)[] } ? K : never;

/** The names of properties that are always present. */
type PresentNames<S, P, F extends boolean> =
  | Required<S>
  | (F extends true ? { [K in keyof P]: P[K] extends { readonly default: unknown } ? K : never }[keyof P]
    : never);

/** The schema of additional properties; `never` if they are not allowed. */
type Rest<S> =
  | (S extends { readonly additionalProperties: infer A } ?
      A extends false ?
        never
      : A
    : never)
  | (S extends { readonly patternProperties: infer P } ? P[keyof P] : never);

// Arrays.

type ArrayOf<S, Root, F extends boolean> =
  S extends { readonly prefixItems: infer P extends readonly unknown[] } ?
    [...{ -readonly [I in keyof P]: Infer<P[I], Root, F> }, ...MoreItems<S, Root, F>]
  : S extends { readonly items: infer I } ? Infer<I, Root, F>[]
  : unknown[];

type MoreItems<S, Root, F extends boolean> =
  S extends { readonly items: infer I } ?
    I extends false ?
      []
    : Infer<I, Root, F>[]
  : unknown[];

// Combinations.

type OneOf<L, Root, F extends boolean> = L extends readonly (infer S)[] ? Each<S, Root, F> : unknown;

type Each<S, Root, F extends boolean> = S extends unknown ? Infer<S, Root, F> : never;

type AllOf<L, Root, F extends boolean> =
  L extends readonly [infer S, ...infer More] ? And<Infer<S, Root, F>, AllOf<More, Root, F>> : unknown;

type And<A, B> =
  unknown extends A ? B
  : unknown extends B ? A
  : A extends object ?
    B extends object ?
      FlatObject<A & B>
    : A & B
  : A & B;

/** The same type, written as one object, so that an editor shows it in full. */
type FlatObject<T> = { [K in keyof T]: T[K] };

// References.

type Referred<R, Root, F extends boolean> =
  R extends '#' ? Infer<Root, Root, F>
  : R extends `#/$defs/${infer N}` ? Definition<Root, '$defs', N, F>
  : R extends `#/definitions/${infer N}` ? Definition<Root, 'definitions', N, F>
  : unknown;

type Definition<Root, Home extends string, Name extends string, F extends boolean> =
  Root extends { readonly [H in Home]: { readonly [N in Name]: infer S } } ? Infer<S, Root, F> : unknown;
