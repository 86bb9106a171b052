import type { ComponentType } from 'preact';
import type { CompileOptions } from 'barewire/schema';
import type { ServerView } from '../messages.ts';

/** What one page has and another does not carry. Views that are not there are not shown. */
export interface PageParts {
  /** Formats that are judged while one types. */
  readonly formats: NonNullable<CompileOptions['formats']>;
  readonly AddServer?: ComponentType<{ onDone: () => void }>;
  readonly Credentials?: ComponentType<{ server: ServerView }>;
  readonly Doctor?: ComponentType<{ server: ServerView }>;
  readonly Login?: ComponentType<{ server: ServerView }>;
}
