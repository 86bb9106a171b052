// One form: the value as it is typed, what the validator says of it, and which places the person has left already.
import { batch, computed, signal } from '@preact/signals';
import type { ReadonlySignal, Signal } from '@preact/signals';
import type { CompileOptions, JsonSchema } from 'barewire/schema';
import { below, fitting, lexemesOf, parseNearest, print } from '../../json/lexemes.ts';
import type { Lexemes } from '../../json/lexemes.ts';
import { missingIn } from './missing.ts';
import { judge, noProblems, saysMissing } from './problems.ts';
import type { Problems } from './problems.ts';
import { alternativeOf, initial } from './shape.ts';

/** Looks for values of a member while it is typed; `settled` are the members that have text already. */
export type Complete = (name: string, typed: string, settled: Readonly<Record<string, string>>) => Promise<readonly string[]>;

/** Where the values of a form are from, where not from the person: they are marked, and a call with them is asked about. */
export type Origin = 'link' | 'file';

/** The content of a form in the shape that is kept over a reload. */
export interface Draft {
  readonly value: unknown;
  /** Numbers as they were typed. */
  readonly lexemes: Lexemes;
  /** The JSON text that is being written. */
  readonly raw?: string;
  /** What is typed at a place and is not JSON. */
  readonly unread?: Readonly<Record<string, string>>;
  readonly origin?: Origin;
}

export interface FormModelOptions {
  /** Formats that are judged; undefined: none. */
  readonly formats: CompileOptions['formats'];
  /** What it begins with. Default: the defaults of the schema. */
  readonly draft?: Draft | undefined;
  readonly complete?: Complete | undefined;
}

/** Whether a place is another one, or below it. */
const isWithin = (at: string, path: string): boolean => `${at}/`.startsWith(`${path}/`);

export class FormModel {
  readonly schema: JsonSchema;
  readonly value: Signal<unknown>;
  readonly lexemes: Signal<Lexemes>;
  /** The JSON text that is being written; undefined while the fields are shown. */
  readonly raw: Signal<string | undefined> = signal(undefined);
  /** Why the raw text is no JSON; ''. */
  readonly rawFault: Signal<string> = signal('');
  readonly touched: Signal<ReadonlySet<string>> = signal<ReadonlySet<string>>(new Set());
  readonly submitted: Signal<boolean> = signal(false);
  /** How often sending was tried. */
  readonly tries: Signal<number> = signal(0);
  readonly origin: Signal<Origin | undefined>;
  /** Counts what was put in from elsewhere: fields that keep what is typed begin anew with each. */
  readonly filled: Signal<number> = signal(0);
  /** Why the schema cannot be judged by; '' where it can. */
  readonly fault: string;
  readonly problems: ReadonlySignal<Problems>;
  /** The places that lack what the schema requires, in the order of the form: members, and items of lists. */
  readonly missing: ReadonlySignal<readonly string[]>;
  /** Something is missing, or an attempt to send it found a fault that still stands. */
  readonly waits: ReadonlySignal<boolean>;
  /** The alternatives of unions that the person chose, by their place. */
  readonly chosen = new Map<string, number>();
  readonly draft: ReadonlySignal<Draft>;
  readonly complete: Complete | undefined;
  readonly formats: CompileOptions['formats'];
  /** Wrong by the word of the host: shown beside what the form finds itself. */
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
      // Conditions of a schema require members that no field stands for.
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

  /** Puts other values in, such as those of a call or of a link. */
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

  /** What is typed at a place has no value, and why; undefined: it has one. It is said at once. */
  misread(path: string, text: string | undefined, fault: string): void {
    if (text === undefined && !this.unread.peek().has(path)) return;
    const others = [...this.unread.peek()].filter(([at]) => at !== path);
    this.unread.value = new Map(text === undefined ? others : [...others, [path, { text, fault }]]);
    if (text !== undefined) this.touch(path);
  }

  #unchoose(path: string): void {
    for (const at of this.chosen.keys()) if (isWithin(at, path)) this.chosen.delete(at);
  }

  /** What stood at a place is not there any more. */
  forget(path: string): void {
    this.keep(path, {});
    this.#unchoose(path);
    this.unread.value = new Map([...this.unread.peek()].filter(([at]) => !isWithin(at, path)));
  }

  /** The numbers at a place, and below it, as they were typed: by their place from there. */
  kept(path: string): Lexemes {
    return Object.fromEntries(Object.entries(this.lexemes.value).filter(([at]) => isWithin(at, path)).map(([at, lexeme]) => [at.slice(path.length), lexeme]));
  }

  /** Keeps the numbers at a place, and below it, as they were typed. */
  keep(path: string, lexemes: Lexemes): void {
    const others = Object.entries(this.lexemes.peek()).filter(([at]) => !isWithin(at, path));
    this.lexemes.value = Object.fromEntries([...others, ...Object.entries(lexemes).map(([at, lexeme]) => [path + at, lexeme] as const)]);
  }

  /** The items of a list have other places now: `olds` has the place before, by the place of now. */
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

  /** The sentences at a place, once the person has been there or has tried to send. */
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

  /** Whether it may be sent as it is. From now on every problem is shown. */
  submit(): boolean {
    this.submitted.value = true;
    this.tries.value++;
    return this.rawFault.value === '' && this.problems.value.size === 0;
  }

  /** What is sent: the value as an object, and those of its numbers that are written otherwise. */
  get sent(): { readonly args: Readonly<Record<string, unknown>>; readonly lexemes?: Lexemes } {
    const args = Object(this.value.peek()) as Readonly<Record<string, unknown>>;
    const lexemes = fitting(args, this.lexemes.peek());
    return { args, ...Object.keys(lexemes).length > 0 && { lexemes } };
  }
}
