// The parts of the playground by their names. A file from a disk can load no module, so the build wraps each part in a function.
// Those of the first call stand in playground.html, the others in playground-more.js beside it, which is loaded as a script.

export interface Part {
  (module: { exports: unknown }): void;
}

/** Where parts get each other from. The build writes calls of `get` and `load` where parts import one another. */
export class Registry {
  readonly #parts = new Map<string, Part>();
  readonly #made = new Map<string, { exports: unknown }>();
  readonly #first = new Set<string>();
  #loading: Promise<void> | undefined;
  /** Loads the file beside the page, which calls `define`. The page and its worker each do it in their own way. */
  fetch: () => Promise<void> = () => Promise.reject(new Error('not in this page'));

  define(parts: Readonly<Record<string, Part>>): void {
    const first = this.#parts.size === 0;
    for (const [name, part] of Object.entries(parts)) {
      this.#parts.set(name, part);
      if (first) this.#first.add(name);
    }
  }

  get(name: string): unknown {
    let found = this.#made.get(name);
    if (!found) {
      this.#made.set(name, found = { exports: {} });
      this.#parts.get(name)?.(found);
    }
    return found.exports;
  }

  async load(name: string): Promise<unknown> {
    if (!this.#parts.has(name)) await this.#more();
    return this.get(name);
  }

  /** The program of the file beside the page, for the worker, which cannot load it. */
  async program(): Promise<string> {
    await this.#more();
    const more = [...this.#parts].filter(([name]) => !this.#first.has(name));
    return `playground.define({${more.map(([name, part]) => `${JSON.stringify(name)}:${String(part)}`).join()}})`;
  }

  /** One that failed is tried again. */
  #more(): Promise<void> {
    return this.#loading ??= this.fetch().catch((thrown: unknown) => {
      this.#loading = undefined;
      throw thrown;
    });
  }
}

declare global {
  var playground: Registry;
}

globalThis.playground = new Registry();
