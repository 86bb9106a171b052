import { notificationText } from '../jsonrpc/outlet.ts';
import type { ListName } from './feature.ts';
import { Subscriptions } from './modern/subscriptions.ts';

/** A legacy client that may be told of changes. */
export interface Watcher {
  /** Sends a notification that belongs to no request. */
  announce(text: string): void;
  /** Whether the handshake declared that this list exists and may change. */
  expects(list: ListName): boolean;
}

/** Who is told when a list changes: legacy clients, and the subscriptions of 2026-07-28. */
export class Changes {
  /** Where others have to hear of each change as well: takes it, and calls `tell` later. */
  divert: ((change: { readonly list: ListName } | { readonly uri: string }) => void) | undefined;
  readonly subscriptions: Subscriptions;
  readonly #watchers = new Set<Watcher>();
  readonly #pending = new Set<ListName>();

  constructor(maxSubscriptions: number) {
    this.subscriptions = new Subscriptions(maxSubscriptions);
  }

  add(watcher: Watcher): void {
    this.#watchers.add(watcher);
  }

  delete(watcher: Watcher): void {
    this.#watchers.delete(watcher);
  }

  listChanged(list: ListName): void {
    if (this.divert) this.divert({ list });
    else this.tell(list);
  }

  /** Several changes of a list in one turn are one notification. */
  tell(list: ListName): void {
    if (this.#watchers.size === 0 && this.subscriptions.size === 0) return;
    if (this.#pending.size === 0) void Promise.resolve().then(() => this.#announce());
    this.#pending.add(list);
  }

  #announce(): void {
    for (const list of this.#pending) {
      const text = notificationText(`notifications/${list}/list_changed`);
      // 2025-11-25 basic/lifecycle#operation: only what was negotiated may be used.
      for (const watcher of this.#watchers) if (watcher.expects(list)) watcher.announce(text);
      this.subscriptions.listChanged(list);
    }
    this.#pending.clear();
  }
}
