import type { ClientExtension } from 'barewire/client';
import { errorCodes, RpcError } from 'barewire/server';
import type { Context, McpServer, ToolReturn } from 'barewire/server';

// A lending library: books are found, lent, and returned.

export const libraryExtension = 'com.example/library';

export interface Returned {
  readonly shelf: string;
  readonly book: string;
}

export interface Library {
  /** Returned by a tool in place of its result: the client waits until the book is available. */
  lend(book: string, ctx: Context): ToolReturn;
  /** Returns a book: its next reader gets it, and the listeners of the shelf are notified. */
  giveBack(returned: Returned): void;
}

/** Adds the extension to a server. */
export function library(server: McpServer, shelves: readonly string[]): Library {
  const readers = new Map<string, (() => void)[]>();
  const back = new Set<string>();
  const tell = server.extend({
    id: libraryExtension,
    settings: { shelves },
    methods: {
      'library/find': ({ book }, ctx) => ({ book, shelf: shelves[0], reader: ctx.client?.name, note: ctx.meta?.['com.example/note'] }),
      'library/wait': ({ book }) => new Promise<object>((resolve) => {
        const ready = (): void => resolve({ content: [{ type: 'text', text: `here is ${String(book)}` }] });
        if (back.has(String(book))) ready();
        else readers.set(String(book), [...readers.get(String(book)) ?? [], ready]);
      }),
    },
    resultTypes: ['library/lent'],
    filters: {
      'com.example/shelf': (wanted) => {
        if (typeof wanted !== 'string') throw new RpcError(errorCodes.invalidParams, 'a shelf is a string');
        return shelves.includes(wanted) ? wanted : undefined;
      },
    },
    // The hours are public.
    open: { methods: { 'library/hours': () => ({ open: '9-17' }) } },
    // A legacy client cannot name a shelf: it is notified of the first.
    legacy: { filters: { 'com.example/shelf': () => shelves[0] } },
  });
  return {
    lend: (book, { capabilities, revision }) => (capabilities.extensions?.[libraryExtension] && revision.era === 'modern'
      ? { resultType: 'library/lent', book }
      : { content: [{ type: 'text', text: `${book} is lent` }] }),
    giveBack({ shelf, book }) {
      back.add(book);
      for (const ready of readers.get(book) ?? []) ready();
      readers.delete(book);
      tell('com.example/shelf', 'notifications/library/returned', { shelf, book }, (agreed) => agreed === shelf);
    },
  };
}

/** The client's side: `request` sends a request of the client, and `onReturned` receives notifications of returned books. */
export function reader(
  request: (method: string, params: Record<string, unknown>) => Promise<object>, onReturned: (returned: Record<string, unknown>) => void,
): Readonly<Record<string, ClientExtension>> {
  return {
    [libraryExtension]: {
      settings: { patient: true },
      resultTypes: { 'library/lent': ({ book }) => request('library/wait', { book }) },
      notifications: { 'notifications/library/returned': onReturned },
    },
  };
}
