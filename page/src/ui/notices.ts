// What the person is told at the edge of the page. A notice leaves by itself, and with what it was about.
import { signal } from '@preact/signals';
import type { Signal } from '@preact/signals';

export interface Notice {
  readonly id: number;
  readonly tone: 'bad' | 'info';
  readonly text: string;
  /** What it is about, such as a server: when that is well again, the notice leaves. */
  readonly about: string;
  /** How often the same was said. */
  readonly times: number;
}

const MAX_NOTICES = 4;
const MAX_CHARS = 1_000;
/** How long a notice stays, in milliseconds, while nobody looks at it. */
const stayMs: Readonly<Record<Notice['tone'], number>> = { info: 6_000, bad: 20_000 };

export class Notices {
  readonly list: Signal<readonly Notice[]> = signal([]);
  readonly #timers = new Map<number, ReturnType<typeof setTimeout>>();
  #count = 0;

  tell(text: string, tone: Notice['tone'] = 'info', about = ''): void {
    const said = text.slice(0, MAX_CHARS);
    const same = this.list.value.find((one) => one.text === said && one.tone === tone);
    if (same) this.#forget(same.id);
    const notice: Notice = { id: ++this.#count, tone, text: said, about, times: (same?.times ?? 0) + 1 };
    const all = [...this.list.value.filter((one) => one !== same), notice];
    for (const { id } of all.slice(0, -MAX_NOTICES)) this.#forget(id);
    this.list.value = all.slice(-MAX_NOTICES);
    this.leave(notice.id);
  }

  /** The time until it leaves begins anew. */
  leave(id: number): void {
    const notice = this.list.value.find((one) => one.id === id);
    this.#forget(id);
    if (notice) this.#timers.set(id, setTimeout(() => this.dismiss(id), stayMs[notice.tone]));
  }

  /** It stays: somebody looks at it. */
  stay(id: number): void {
    this.#forget(id);
  }

  dismiss(id: number): void {
    this.#forget(id);
    this.list.value = this.list.value.filter((one) => one.id !== id);
  }

  /** What notices were about is well again. */
  well(about: string): void {
    for (const one of this.list.value) if (one.about === about && one.tone === 'bad') this.dismiss(one.id);
  }

  #forget(id: number): void {
    clearTimeout(this.#timers.get(id));
    this.#timers.delete(id);
  }
}
