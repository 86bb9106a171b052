// Notices at the edge of the page. A notice disappears after some time, or when its problem is solved.
import { signal } from '@preact/signals';
import type { Signal } from '@preact/signals';

export interface Notice {
  readonly id: number;
  readonly tone: 'bad' | 'info';
  readonly text: string;
  /** Its subject, such as a server. The notice disappears when the subject works again. */
  readonly about: string;
  /** How often the same text was sent. */
  readonly times: number;
}

const MAX_NOTICES = 4;
const MAX_CHARS = 1_000;
/** How long a notice stays, in milliseconds, without a pointer or the focus on it. */
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

  /** Restarts the time after which it disappears. */
  leave(id: number): void {
    const notice = this.list.value.find((one) => one.id === id);
    this.#forget(id);
    if (notice) this.#timers.set(id, setTimeout(() => this.dismiss(id), stayMs[notice.tone]));
  }

  /** Keeps it while the pointer or the focus is on it. */
  stay(id: number): void {
    this.#forget(id);
  }

  dismiss(id: number): void {
    this.#forget(id);
    this.list.value = this.list.value.filter((one) => one.id !== id);
  }

  /** Dismisses the `bad` notices about a subject that works again. */
  well(about: string): void {
    for (const one of this.list.value) if (one.about === about && one.tone === 'bad') this.dismiss(one.id);
  }

  #forget(id: number): void {
    clearTimeout(this.#timers.get(id));
    this.#timers.delete(id);
  }
}
