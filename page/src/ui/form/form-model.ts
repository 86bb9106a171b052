// One form: the value as it is typed, what the validator says of it, and which places the person has left already.
import { computed, signal } from '@preact/signals';
import type { ReadonlySignal, Signal } from '@preact/signals';
import type { CompileOptions, JsonSchema } from 'barewire/schema';
import { judge, noProblems } from './problems.ts';
import type { Problems } from './problems.ts';
import { initial } from './shape.ts';

/** Looks for values of a member while it is typed; `settled` are the members that have text already. */
export type Complete = (name: string, typed: string, settled: Readonly<Record<string, string>>) => Promise<readonly string[]>;

export class FormModel {
  readonly schema: JsonSchema;
  readonly value: Signal<unknown>;
  /** The JSON text that is being written; undefined while the fields are shown. */
  readonly raw: Signal<string | undefined> = signal(undefined);
  /** Why the raw text is no JSON; ''. */
  readonly rawFault: Signal<string> = signal('');
  readonly touched: Signal<ReadonlySet<string>> = signal<ReadonlySet<string>>(new Set());
  readonly submitted: Signal<boolean> = signal(false);
  /** Why the schema cannot be judged by; '' where it can. */
  readonly fault: string;
  readonly problems: ReadonlySignal<Problems>;
  readonly complete: Complete | undefined;
  /** Formats that are judged; undefined: none. */
  readonly formats: CompileOptions['formats'];
  /** Wrong by the word of the host: shown beside what the form finds itself. */
  readonly refused: Signal<Problems> = signal(noProblems);

  constructor(schema: JsonSchema, formats: CompileOptions['formats'], value: unknown = initial(schema, schema), complete?: Complete) {
    const { problems, fault } = judge(schema, formats);
    this.formats = formats;
    this.schema = schema;
    this.fault = fault;
    this.value = signal(value);
    this.complete = complete;
    this.problems = computed(() => {
      const own = problems(this.value.value);
      return this.refused.value.size === 0 ? own : new Map([...own, ...this.refused.value]);
    });
  }

  set(value: unknown): void {
    this.refused.value = noProblems;
    this.value.value = value;
  }

  touch(path: string): void {
    if (!this.touched.peek().has(path)) this.touched.value = new Set(this.touched.peek()).add(path);
  }

  /** The sentences at a place, once the person has been there or has tried to send. */
  sentencesAt(path: string, problems: Problems = this.problems.value): readonly string[] {
    return this.submitted.value || this.touched.value.has(path) ? problems.get(path) ?? [] : [];
  }

  showRaw(): void {
    this.raw.value = JSON.stringify(this.value.peek() ?? {}, undefined, 2);
    this.rawFault.value = '';
  }

  typeRaw(text: string): void {
    this.raw.value = text;
    try {
      this.set(JSON.parse(text));
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
    return this.rawFault.value === '' && this.problems.value.size === 0;
  }
}
