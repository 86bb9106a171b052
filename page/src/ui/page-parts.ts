import type { ComponentType } from 'preact';
import type { CompileOptions } from 'barewire/schema';
import type { ServerView } from '../messages.ts';
import type { DockTab, Tab } from './tabs.ts';

/** What one page has and another does not carry, and what one page loads late and another has in its file. */
export interface PageParts {
  /** Formats that are judged while one types. */
  readonly formats: NonNullable<CompileOptions['formats']>;
  /** The views of a server. A tab is shown where its view is there. */
  readonly views: Readonly<Partial<Record<Tab, ComponentType<{ server: ServerView }>>>>;
  readonly docks: Readonly<Record<DockTab, ComponentType>>;
  readonly Questions: ComponentType;
  /** Draws a text as Markdown. */
  readonly Markdown?: ComponentType<{ text: string }>;
  readonly AddServer?: ComponentType<{ onDone: () => void }>;
  readonly Credentials?: ComponentType<{ server: ServerView }>;
  readonly Login?: ComponentType<{ server: ServerView }>;
}
