// The state of one form: the current value, its faults, and the places that the person has left.
import { batch, computed, signal } from '@preact/signals';
import type { ReadonlySignal, Signal } from '@preact/signals';
import type { CompileOptions, JsonSchema } from 'barewire/schema';
import { below, fitting, lexemesOf, parseNearest, print } from '../../json/lexemes.ts';
import type { Lexemes } from '../../json/lexemes.ts';
import { missingIn } from './missing.ts';
import { judge, noProblems, saysMissing } from './problems.ts';
import type { Problems } from './problems.ts';
import { alternativeOf, initial } from './shape.ts';

/** Completes a member during typing; `settled` has the other members that are strings. */
export type Complete = (name: string, typed: string, settled: Readonly<Record<string, string>>) => Promise<readonly string[]>;

/** The origin of values that are not the person's. They are marked, and a call with them needs approval. */
export type Origin = 'link' | 'file';

/** The content of a form, as it is stored. */
export interface Draft {
  readonly value: unknown;
  /** Numbers as they were typed. */
  readonly lexemes: Lexemes;
  /** The JSON text, if the person writes JSON. */
  readonly raw?: string;
  /** Texts of single places that are not JSON, by path. */
  readonly unread?: Readonly<Record<string, string>>;
  readonly origin?: Origin;
}

export interface FormModelOptions {
  /** Formats that are validated; undefined: none. */
  readonly formats: CompileOptions['formats'];
  /** The initial content. Default: the defaults of the schema. */
  readonly draft?: Draft | undefined;
  readonly complete?: Complete | undefined;
}

/** Whether the path `at` equals `path`, or is below it. */
const isWithin = (at: string, path: string): boolean => `${at}/`.startsWith(`${path}/`);

export class FormModel {
  readonly schema: JsonSchema;
  readonly value: Signal<unknown>;
  readonly lexemes: Signal<Lexemes>;
  /** The JSON text; undefined while the fields are shown. */
  readonly raw: Signal<string | undefined> = signal(undefined);
  /** Why the JSON text is invalid; '' if it is valid. */
  readonly rawFault: Signal<string> = signal('');
  readonly touched: Signal<ReadonlySet<string>> = signal<ReadonlySet<string>>(new Set());
  readonly submitted: Signal<boolean> = signal(false);
  /** The number of attempts to send. */
  readonly tries: Signal<number> = signal(0);
  readonly origin: Signal<Origin | undefined>;
  /** Counts calls of `fill` and `moved`; fields that hold their own text are remounted at each. */
  readonly filled: Signal<number> = signal(0);
  /** Why the schema cannot be compiled; '' if it can. */
  readonly fault: string;
  readonly problems: ReadonlySignal<Problems>;
  /** Places without a required value, in the order of the form: members, and lists with too few items. */
  readonly missing: ReadonlySignal<readonly string[]>;
  /** Something is missing or not JSON, or an attempt to send found a fault that still exists. */
  readonly waits: ReadonlySignal<boolean>;
  /** The chosen alternatives of unions, by path. */
  readonly chosen = new Map<string, number>();
  readonly draft: ReadonlySignal<Draft>;
  readonly complete: Complete | undefined;
  readonly formats: CompileOptions['formats'];
  /** Faults that the host found: shown in addition to those of the form. */
  readonly refused: Signal<Problems> = signal(noProblems);
  /** Places whose text has no value yet: the text, and why. */
  readonly unread: Signal<ReadonlyMap<string, { readonly text: string; readonly fault: string }>> = signal(new Map());

  constructor(schema: JsonSchema, { formats, draft, complete }: FormModelOptions) {
    const { problems, fault } = judge(schema, formats);
    this.formats = formats;
    this.schema = schema;
    this.fault = fault;
    this.value = signal(draft ? draft.value : initial(schema, schema));
    this.lexemes = signal(draft?.lexemes ?? {});
    this.origin = signal(draft?.origin);
    this.complete = complete;
    if (draft?.raw !== undefined) this.typeRaw(draft.raw);
    for (const [path, text] of Object.entries(draft?.unread ?? {})) this.misread(path, text, 'this is not JSON');
    this.problems = computed(() => {
      const own = problems(this.value.value);
      const { value: refused } = this.refused;
      const { value: unread } = this.unread;
      return refused.size + unread.size === 0 ? own : new Map([...own, ...refused, ...[...unread].map(([path, { fault }]) => [path, [fault]] as const)]);
    });
    this.missing = computed(() => {
      const found = missingIn(schema, this.value.value, (path, alternatives, value) => this.chosen.get(path) ?? alternativeOf(alternatives, value, schema));
      // Conditions of a schema may require members that have no field.
      for (const [path, all] of this.problems.value) if (all.some(saysMissing) && ![...found.keys()].some((at) => isWithin(path, at))) found.set(path, path);
      return [...found.values()].filter(Boolean);
    });
    this.waits = computed(() => this.missing.value.length > 0 || this.rawFault.value !== '' || this.submitted.value && this.problems.value.size > 0);
    this.draft = computed(() => ({
      value: this.value.value, lexemes: this.lexemes.value,
      ...this.raw.value !== undefined && { raw: this.raw.value }, ...this.origin.value && { origin: this.origin.value },
      ...this.unread.value.size > 0 && { unread: Object.fromEntries([...this.unread.value].map(([path, { text }]) => [path, text])) },
    }));
  }

  set(value: unknown): void {
    this.refused.value = noProblems;
    this.value.value = value;
  }

  /** Replaces the values, for example by those of a call or of a link. */
  fill({ value, lexemes, origin }: Draft): void {
    batch(() => {
      this.set(value);
      this.lexemes.value = lexemes;
      this.origin.value = origin;
      this.submitted.value = false;
      this.unread.value = new Map();
      this.filled.value++;
      if (this.raw.peek() !== undefined) this.showRaw();
    });
  }

  /** Records a text without a value, and why; undefined: the place has a value again. The fault is shown at once. */
  misread(path: string, text: string | undefined, fault: string): void {
    if (text === undefined && !this.unread.peek().has(path)) return;
    const others = [...this.unread.peek()].filter(([at]) => at !== path);
    this.unread.value = new Map(text === undefined ? others : [...others, [path, { text, fault }]]);
    if (text !== undefined) this.touch(path);
  }

  #unchoose(path: string): void {
    for (const at of this.chosen.keys()) if (isWithin(at, path)) this.chosen.delete(at);
  }

  /** Forgets everything about a removed place. */
  forget(path: string): void {
    this.keep(path, {});
    this.#unchoose(path);
    this.unread.value = new Map([...this.unread.peek()].filter(([at]) => !isWithin(at, path)));
  }

  /** The numbers at a place and below it, as they were typed, by their path relative to the place. */
  kept(path: string): Lexemes {
    return Object.fromEntries(Object.entries(this.lexemes.value).filter(([at]) => isWithin(at, path)).map(([at, lexeme]) => [at.slice(path.length), lexeme]));
  }

  /** Replaces the lexemes at a place and below it. */
  keep(path: string, lexemes: Lexemes): void {
    const others = Object.entries(this.lexemes.peek()).filter(([at]) => !isWithin(at, path));
    this.lexemes.value = Object.fromEntries([...others, ...Object.entries(lexemes).map(([at, lexeme]) => [path + at, lexeme] as const)]);
  }

  /** Adapts to a new order of list items: `olds[i]` is the old index of item `i`. */
  moved(path: string, olds: readonly number[]): void {
    const kept = Object.entries(this.lexemes.peek());
    const others = kept.filter(([at]) => !isWithin(at, path));
    const items = olds.flatMap((old, now) => {
      const from = below(path, old);
      return kept.filter(([at]) => isWithin(at, from)).map(([at, lexeme]) => [below(path, now) + at.slice(from.length), lexeme] as const);
    });
    this.#unchoose(path);
    batch(() => {
      this.lexemes.value = Object.fromEntries([...others, ...items]);
      this.unread.value = new Map([...this.unread.peek()].filter(([at]) => !isWithin(at, path)));
      this.filled.value++;
    });
  }

  touch(path: string): void {
    if (!this.touched.peek().has(path)) this.touched.value = new Set(this.touched.peek()).add(path);
  }

  /** The sentences at a place, once the person has left it or has tried to send. */
  sentencesAt(path: string, problems: Problems = this.problems.value): readonly string[] {
    return this.submitted.value || this.touched.value.has(path) ? problems.get(path) ?? [] : [];
  }

  showRaw(): void {
    this.unread.value = new Map();
    this.raw.value = print(this.value.peek() ?? {}, this.lexemes.peek(), 2);
    this.rawFault.value = '';
  }

  typeRaw(text: string): void {
    this.raw.value = text;
    try {
      this.set(parseNearest(text));
      this.lexemes.value = lexemesOf(text);
      this.rawFault.value = '';
    } catch (thrown) {
      this.rawFault.value = thrown instanceof Error ? thrown.message : 'this is not JSON';
    }
  }

  showFields(): void {
    if (this.rawFault.value === '') this.raw.value = undefined;
  }

  /** Whether the value may be sent. From now on all problems are shown. */
  submit(): boolean {
    this.submitted.value = true;
    this.tries.value++;
    return this.rawFault.value === '' && this.problems.value.size === 0;
  }

  /** The value to send: an object, and those of its numbers that JavaScript would write otherwise. */
  get sent(): { readonly args: Readonly<Record<string, unknown>>; readonly lexemes?: Lexemes } {
    const args = Object(this.value.peek()) as Readonly<Record<string, unknown>>;
    const lexemes = fitting(args, this.lexemes.peek());
    return { args, ...Object.keys(lexemes).length > 0 && { lexemes } };
  }
}
