// What a schema is once it has been read, and what a validation is while it runs. Types alone.

/** A JSON Schema as it stands in JSON: an object, or `true` (anything) or `false` (nothing). */
export type JsonSchema = boolean | { readonly [keyword: string]: unknown };

/** A format; a regular expression is one. */
export interface Format {
  /** Whether a string has the format. */
  test(value: string): boolean;
  /** What the string should look like, for error messages. */
  readonly hint?: string;
}

/** Whether a string matches a pattern. Calls `spend` with what that costs, in steps of the limit `work`. */
export type PatternTest = (text: string, spend: (steps: number) => void) => boolean;

/** A subschema that has been read: its values are checked and its subschemas read too. */
export interface Node {
  /** The keywords; for the schemas `true` and `false` that boolean. */
  keywords: Keywords | boolean;
  /** Address and JSON Pointer. */
  path: string;
  /** The document that it stands in. Only the whole dialect has several. */
  resource?: Resource;
  /** Where its `$ref` leads. */
  target?: Node;
  /** Where its `$dynamicRef` leads unless the dynamic scope has another. */
  dynamicTarget?: Node;
  /** The matchers of `pattern` and `patternProperties`, by source. */
  patterns?: Map<string, PatternTest>;
  /** How to speak of its rules, by keyword, once they have been broken. */
  sayings?: Record<string, Saying>;
  /** Compiled at the first use. */
  check?: Check;
}

/** A schema with an address of its own: the whole document, or what stands under an `$id`. */
export interface Resource {
  uri: string;
  raw: unknown;
  path: string;
  dialect: Dialect;
  /** Subschemas by `$anchor` and `$dynamicAnchor`. */
  anchors: Map<string, Node>;
}

/** A set of keywords with one meaning, chosen by `$schema`. */
export interface Dialect {
  /** Draft-07 has another `items`, `$id: "#name"` for anchors, and ignores what stands beside a `$ref`. */
  draft7?: boolean;
  /** Vocabularies in force, by the first word of their name; undefined: all of them. */
  vocabularies?: ReadonlySet<string>;
}

/** A subschema under a name: one of `properties`, or of what is kept like it. */
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

/** A compiled piece of schema: true when the value keeps the rule; else it has noted why in `run.last`. */
export type Check<T = unknown> = (value: T, run: Run) => boolean;

/** An array as the rules for arrays see it. */
export type Items = readonly unknown[];
/** An object as the rules for objects see it. */
export type Properties = Readonly<Record<string, unknown>>;

/** What the keywords need of the compilation that they are part of. */
export interface Compiler {
  /** The check of a subschema. */
  readonly check: (node: Node) => Check;
  formats: Readonly<Record<string, Format>>;
}

/** An error as it is noted: where and what, put into words only when the list is final. */
export interface Failure {
  path: string;
  node: Node;
  keyword: string;
  /** The value, or the name of the property that the error is about. */
  value: unknown;
  /** What the sentence needs beside the value, or what was expected where the keyword does not say it. */
  detail: unknown;
  /** The one noted before this. */
  before: Failure | undefined;
}

/**
 * What is the same each time a rule is broken: its place, and its sentence cut up, text and signs (@ or $)
 * in turn.
 */
export interface Saying {
  schemaPath: string;
  parts: string[];
}

/** The resources entered on the way to here, innermost first: the dynamic scope of `$dynamicRef`. */
export interface Scope {
  resource: Resource | undefined;
  outer: Scope | undefined;
}

/** The state of one validation. */
export interface Run {
  /** The newest of the errors noted; the list is linked because most lists stay empty or short. */
  last: Failure | undefined;
  /** Errors still wanted. At 0 none is noted, and every rule stops at its first failure. */
  room: number;
  /** Steps left. */
  work: number;
  /** `$ref` levels left. */
  depth: number;
  scope: Scope | undefined;
}
