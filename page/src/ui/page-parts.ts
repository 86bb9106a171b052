import type { ComponentType } from 'preact';
import type { CompileOptions } from 'barewire/schema';
import type { CallView, ServerView, ToolView, WireMessage } from '../messages.ts';
import type { JsonEditorProps } from './form/json-editor-props.ts';
import type { FormModel } from './form/form-model.ts';
import type { HostLink } from './host-link.ts';
import type { DockTab, Tab } from './tabs.ts';

/** Initial values of the form for a new server. */
export interface Example {
  readonly name: string;
  /** A command line, or an address. */
  readonly where: string;
}

/** A failed call on the wire, from its first to its last message. */
export interface Shared {
  readonly call: number;
  /** The name of the tool or the prompt, or the URI of the resource. */
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

/** The parts of the page that a login needs. */
export interface LoginPage {
  readonly link: HostLink;
  tell(text: string, tone: 'bad'): void;
}

/** The parts that differ between pages: missing in one, loaded late in another, or in the file from the start. */
export interface PageParts {
  /** Formats that forms validate during typing. */
  readonly formats: NonNullable<CompileOptions['formats']>;
  /** The views of a server. A tab without a view shows the overview. */
  readonly views: Readonly<Partial<Record<Tab, ComponentType<{ server: ServerView }>>>>;
  readonly docks: Readonly<Record<DockTab, ComponentType>>;
  readonly Questions: ComponentType;
  /** Edits a value as JSON; without it the form uses a plain text area. */
  readonly JsonEditor?: ComponentType<JsonEditorProps>;
  /** Renders a text as Markdown. */
  readonly Markdown?: ComponentType<{ text: string }>;
  /** Copies a request as a command and as a program. */
  readonly CopyButtons?: ComponentType<{ entry: WireMessage; server: ServerView; text: () => Promise<string | undefined> }>;
  readonly Share: ComponentType<{ server: string; only: Shared | undefined; onDone: () => void }>;
  /** Offers help after a failed call. */
  readonly FailedCall: ComponentType<{ call: CallView }>;
  /** The dialogs for Ctrl+K and for `?`. */
  readonly Palette: ComponentType<{ onDone: () => void }>;
  readonly Keys: ComponentType<{ onDone: () => void }>;
  readonly AddServer?: ComponentType<{ onDone: () => void; example?: Example }>;
  readonly SaveServer?: ComponentType<{ server: string; onDone: () => void }>;
  readonly ImportServers?: ComponentType<{ onDone: () => void }>;
  /** Shows the app of a tool. */
  readonly App?: ComponentType<{ server: ServerView; view: ToolView; calls: readonly CallView[] }>;
  /** Saved calls of a tool. */
  readonly SavedCalls?: ComponentType<{ server: string; tool: string; form: FormModel }>;
  /** Runs the same call in a revision of each era. */
  readonly Eras?: ComponentType<{ server: ServerView; view: ToolView; form: FormModel }>;
  /** The changes of a tool since it was accepted. */
  readonly ToolChange: ComponentType<{ server: ServerView; tool: ToolView }>;
  /** Whether other applications accept a tool unchanged. */
  readonly Portability?: ComponentType<{ tool: ToolView['tool'] }>;
  readonly Credentials?: ComponentType<{ server: ServerView }>;
  readonly Login?: ComponentType<{ server: ServerView }>;
  /** Starts a login at a server. Resolves when it is over. */
  readonly logIn?: (page: LoginPage, server: string) => Promise<void>;
}
