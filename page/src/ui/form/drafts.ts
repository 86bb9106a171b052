// Drafts of forms, by the subject of the form. They survive a change of tab or tool, and a reload of this browser tab.
import { effect } from '@preact/signals';
import type { JsonSchema } from 'barewire/schema';
import { FormModel } from './form-model.ts';
import type { Draft, FormModelOptions } from './form-model.ts';
import { withoutSecrets } from './secrets.ts';

/** The most forms in memory. */
const maxForms = 60;
/** The most characters of one draft, and of all drafts, in the storage. */
const maxChars = 100_000;
const maxAllChars = 1_000_000;
const prefix = 'barewire-draft ';

interface Kept {
  readonly form: FormModel;
  /** Identifies the schema that it was made for. */
  readonly made: string;
  readonly stop: () => void;
}

/** The storage for drafts of this tab; undefined if the browser offers none. */
function storageOf(): Storage | undefined {
  try {
    return globalThis.sessionStorage;
  } catch {
    return undefined;
  }
}

export class Drafts {
  readonly #forms = new Map<string, Kept>();
  readonly #storage = storageOf();

  /**
   * The form of this key, such as `tool`, a server and a name. `made` identifies its schema: if it changes, a new form is made with the
   * same draft.
   */
  form(key: readonly string[], made: string, schema: JsonSchema, options: Omit<FormModelOptions, 'draft'>, empty?: Draft): FormModel {
    const name = JSON.stringify(key);
    const kept = this.#forms.get(name);
    if (kept?.made === made) return kept.form;
    kept?.stop();
    const form = new FormModel(schema, { ...options, draft: kept?.form.draft.peek() ?? this.#read(name) ?? empty });
    const before = form.draft.peek();
    const stop = effect(() => {
      const draft = form.draft.value;
      if (draft !== before) this.#write(name, draft, schema);
    });
    this.#forms.delete(name);
    this.#forms.set(name, { form, made, stop });
    for (const [oldest, { stop: end }] of this.#forms) {
      if (this.#forms.size <= maxForms) break;
      end();
      this.#forms.delete(oldest);
    }
    return form;
  }

  #read(name: string): Draft | undefined {
    try {
      const draft: unknown = JSON.parse(this.#storage?.getItem(prefix + name) ?? 'null');
      return typeof draft === 'object' && draft !== null && 'lexemes' in draft ? draft as Draft : undefined;
    } catch {
      return undefined;
    }
  }

  #write(name: string, { value, lexemes, raw, unread, origin }: Draft, schema: JsonSchema): void {
    const harmless = withoutSecrets(value, schema, schema);
    // The raw text may contain secrets, so it is stored only if the value contains none.
    const whole = JSON.stringify(harmless) === JSON.stringify(value);
    const draft: Draft = { value: harmless, lexemes, ...origin && { origin }, ...whole && { ...raw !== undefined && { raw }, ...unread && { unread } } };
    const text = JSON.stringify(draft);
    try {
      if (text.length > maxChars) return void this.#storage?.removeItem(prefix + name);
      this.#storage?.setItem(prefix + name, text);
      this.#release();
    } catch {
      // The storage is full or missing: the draft then lasts as long as the page.
    }
  }

  /** Removes drafts above the limit of all together, in the undefined order of the storage. */
  #release(): void {
    const storage = this.#storage;
    if (!storage) return;
    let chars = 0;
    for (const key of Object.keys(storage).filter((one) => one.startsWith(prefix))) {
      chars += storage.getItem(key)?.length ?? 0;
      if (chars > maxAllChars) storage.removeItem(key);
    }
  }
}
