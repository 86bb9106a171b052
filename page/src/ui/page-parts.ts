import type { ComponentType } from 'preact';
import type { CompileOptions } from 'barewire/schema';
import type { CallView, ServerView, ToolView, WireMessage } from '../messages.ts';
import type { JsonEditorProps } from './form/json-editor-props.ts';
import type { FormModel } from './form/form-model.ts';
import type { HostLink } from './host-link.ts';
import type { DockTab, Tab } from './tabs.ts';

/** What a server that is added begins with. */
export interface Example {
  readonly name: string;
  /** A command line, or an address. */
  readonly where: string;
}

/** One call that failed on the wire: from its first message to its last. */
export interface Shared {
  readonly call: number;
  /** Of the tool, the resource or the prompt. */
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

/** What a login needs of the page. */
export interface LoginPage {
  readonly link: HostLink;
  tell(text: string, tone: 'bad'): void;
}

/** What one page has and another does not carry, and what one page loads late and another has in its file. */
export interface PageParts {
  /** Formats that are judged while one types. */
  readonly formats: NonNullable<CompileOptions['formats']>;
  /** The views of a server. A tab is shown where its view is there. */
  readonly views: Readonly<Partial<Record<Tab, ComponentType<{ server: ServerView }>>>>;
  readonly docks: Readonly<Record<DockTab, ComponentType>>;
  readonly Questions: ComponentType;
  /** Where a value is written as JSON; without it a plain field. */
  readonly JsonEditor?: ComponentType<JsonEditorProps>;
  /** Draws a text as Markdown. */
  readonly Markdown?: ComponentType<{ text: string }>;
  /** Copies a request as a command and as a program. */
  readonly CopyButtons?: ComponentType<{ entry: WireMessage; server: ServerView; text: () => Promise<string | undefined> }>;
  readonly Share: ComponentType<{ server: string; only: Shared | undefined; onDone: () => void }>;
  /** What helps after a call that failed. */
  readonly FailedCall: ComponentType<{ call: CallView }>;
  /** What Ctrl+K opens, and what `?` opens. */
  readonly Palette: ComponentType<{ onDone: () => void }>;
  readonly Keys: ComponentType<{ onDone: () => void }>;
  readonly AddServer?: ComponentType<{ onDone: () => void; example?: Example }>;
  readonly SaveServer?: ComponentType<{ server: string; onDone: () => void }>;
  readonly ImportServers?: ComponentType<{ onDone: () => void }>;
  /** Shows the app of a tool. */
  readonly App?: ComponentType<{ server: ServerView; view: ToolView; calls: readonly CallView[] }>;
  /** Calls of a tool under a name. */
  readonly SavedCalls?: ComponentType<{ server: string; tool: string; form: FormModel }>;
  /** The same call in a revision of each era. */
  readonly Eras?: ComponentType<{ server: ServerView; view: ToolView; form: FormModel }>;
  /** What is different at a tool since it was accepted. */
  readonly ToolChange: ComponentType<{ server: ServerView; tool: ToolView }>;
  /** Whether others take a tool without a change. */
  readonly Portability?: ComponentType<{ tool: ToolView['tool'] }>;
  readonly Credentials?: ComponentType<{ server: ServerView }>;
  readonly Login?: ComponentType<{ server: ServerView }>;
  /** Begins a login at a server. Resolves when it is over. */
  readonly logIn?: (page: LoginPage, server: string) => Promise<void>;
}
