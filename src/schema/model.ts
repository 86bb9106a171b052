// A schema after reading, and the state of a validation. Only types.

/** A JSON Schema as JSON: an object, or `true` (anything) or `false` (nothing). */
export type JsonSchema = boolean | { readonly [keyword: string]: unknown };

/** A format; a regular expression is one. */
export interface Format {
  /** Whether a string has the format. */
  test(value: string): boolean;
  /** The expected form of the string, for error messages. */
  readonly hint?: string;
}

/** Whether a string matches a pattern. Calls `spend` with the cost, in steps of the limit `work`. */
export type PatternTest = (text: string, spend: (steps: number) => void) => boolean;

/** A subschema after reading: its values are checked and its subschemas read too. */
export interface Node {
  /** The keywords; for the schemas `true` and `false`, that boolean. */
  keywords: Keywords | boolean;
  /** Address and JSON Pointer. */
  path: string;
  /** The document that contains it. Only the whole dialect has several. */
  resource?: SchemaResource;
  /** The target of its `$ref`. */
  target?: Node;
  /** The target of its `$dynamicRef`, unless the dynamic scope has another. */
  dynamicTarget?: Node;
  /** The matchers of `pattern` and `patternProperties`, by source. */
  patterns?: Map<string, PatternTest>;
  /** The sentences about its broken rules. A list, since a node has one or two of them. */
  sentences?: Sentence;
  /** Compiled at the first use. */
  check?: Check;
}

/** A schema with its own address: the whole document, or a subschema with an `$id`. */
export interface SchemaResource {
  uri: string;
  raw: unknown;
  path: string;
  dialect: Dialect;
  /** Subschemas by `$anchor` and `$dynamicAnchor`. */
  anchors: Map<string, Node>;
}

/** A set of keywords with one meaning, chosen by `$schema`. */
export interface Dialect {
  /** Draft-07 has another `items`, `$id: "#name"` for anchors, and ignores the keywords beside a `$ref`. */
  draft7?: boolean;
  /** The active vocabularies, by the first word of their name; undefined: all of them. */
  vocabularies?: ReadonlySet<string>;
}

/** A subschema with a name: one of `properties`, or of a similar keyword. */
export type NamedNode = [name: string, node: Node];

/** The keywords of one schema object. It has no prototype, so no name can be inherited. */
export interface Keywords {
  $ref?: string;
  $dynamicRef?: string;
  $anchor?: string;
  $dynamicAnchor?: string;
  allOf?: Node[];
  anyOf?: Node[];
  oneOf?: Node[];
  not?: Node;
  if?: Node;
  then?: Node;
  else?: Node;
  prefixItems?: Node[];
  /** Draft-07's array form is read as `prefixItems`, with `additionalItems` as this. */
  items?: Node;
  additionalItems?: Node;
  contains?: Node;
  minContains?: number;
  maxContains?: number;
  unevaluatedItems?: Node;
  properties?: NamedNode[];
  patternProperties?: NamedNode[];
  additionalProperties?: Node;
  propertyNames?: Node;
  dependentSchemas?: NamedNode[];
  dependentRequired?: [name: string, needed: string[]][];
  /** Draft-07's union of the two. */
  dependencies?: [name: string, needed: string[] | Node][];
  unevaluatedProperties?: Node;
  required?: string[];
  type?: string[];
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
  multipleOf?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  format?: string;
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;
  minProperties?: number;
  maxProperties?: number;
}

/** A compiled piece of a schema: true if the value satisfies the rule; else the reason is in `run.last`. */
export type Check<T = unknown> = (value: T, run: Run) => boolean;

/** An array, for the rules about arrays. */
export type Items = readonly unknown[];
/** An object, for the rules about objects. */
export type Properties = Readonly<Record<string, unknown>>;

/** The part of the compilation that keywords use. */
export interface Compiler {
  /** The check of a subschema. */
  readonly check: (node: Node) => Check;
  formats: Readonly<Record<string, Format>>;
}

/** A noted error and its place. It is put into words when the list is complete. */
export interface CheckFailure {
  path: string;
  node: Node;
  keyword: string;
  /** The value, or the name of the property that the error is about. */
  value: unknown;
  /** A detail for the sentence, or the expected value if the keyword does not contain it. */
  detail: unknown;
  /** The error that was noted before this. */
  before: CheckFailure | undefined;
}

/** The parts of an error that are always the same: its place, and its sentence, split into texts and signs (@ or $) in turn. */
export interface Sentence {
  keyword: string;
  schemaPath: string;
  parts: string[];
  /** The sentence before and after a text in quotes, if it has only one sign. If the value is a text, that sign is @. */
  open: string;
  close: string | undefined;
  /** The next sentence of the same node. */
  next: Sentence | undefined;
}

/** The resources entered so far, innermost first: the dynamic scope of `$dynamicRef`. */
export interface Scope {
  resource: SchemaResource | undefined;
  outer: Scope | undefined;
}

/** The state of one validation. */
export interface Run {
  /** The newest noted error. The list is linked because most lists stay empty or short. */
  last: CheckFailure | undefined;
  /** How many more errors to note. At 0 none is noted, and every rule stops at its first failure. */
  room: number;
  /** Steps left. */
  work: number;
  /** `$ref` levels left. */
  depth: number;
  scope: Scope | undefined;
}
