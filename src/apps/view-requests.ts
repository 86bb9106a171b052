import { quote } from '../bounds/quote.ts';
import { invalidParams, isObject, methodNotFound } from '../jsonrpc/internal-exports.ts';
import { RpcError } from '../jsonrpc/index.ts';
import type { CallToolResult, ContentBlock, ReadResourceResult } from '../protocol/index.ts';

/** How an app is displayed. */
export type AppDisplayMode = 'inline' | 'fullscreen' | 'pip';

/**
 * A host's functions for an app. A missing function refuses, and its capability is not declared. The app gets the error that a function
 * throws: an `RpcError` with its code, everything else as `-32000`.
 */
export interface AppHandlers {
  /** Calls a tool of the app's own server. The host must refuse tools that are not visible to apps. */
  callTool?(name: string, args: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<CallToolResult>;
  /** Reads a resource of the app's own server. */
  readResource?(uri: string, signal: AbortSignal): Promise<ReadResourceResult>;
  /** Opens a link outside of the app, after the person agreed. Only `https:` and `http:` arrive here. */
  openLink?(url: URL, signal: AbortSignal): Promise<void>;
  /** Adds a message to the conversation, as if the user had written it. Show where it comes from. */
  message?(content: readonly ContentBlock[], signal: AbortSignal): Promise<void>;
  /** Sets the context about the app for the model's next turn. Each call replaces the previous context. */
  updateModelContext?(context: { readonly content?: readonly ContentBlock[]; readonly structuredContent?: Readonly<Record<string, unknown>> }, signal: AbortSignal): Promise<void>;
  /** Changes the display mode, and returns the resulting mode. Called only for modes that the app supports. */
  requestDisplayMode?(mode: AppDisplayMode, signal: AbortSignal): Promise<AppDisplayMode>;
}

// For `checkOptions`.
export const handlersShape: Readonly<Record<keyof AppHandlers, 'function'>> = {
  callTool: 'function', readResource: 'function', openLink: 'function', message: 'function', updateModelContext: 'function', requestDisplayMode: 'function',
};

/** The display modes of an app, for `ui/request-display-mode`. */
export interface DisplayModes {
  readonly current: AppDisplayMode;
  /** The modes that the app declared; undefined if it declared none: then the host decides. */
  readonly supported: readonly unknown[] | undefined;
}

/** The code of Apps for a refusal by the host. */
export const refusedByHost = -32000;

const refused = (what: string): RpcError => new RpcError(refusedByHost, what);

/** Answers a request of an app. Rejects with an error for the app. */
export async function answerView(
  method: string, params: Readonly<Record<string, unknown>>, handlers: AppHandlers, signal: AbortSignal, modes: DisplayModes,
): Promise<object> {
  switch (method) {
    case 'ping':
      return {};
    case 'tools/call': {
      const { name, arguments: args = {} } = params;
      if (typeof name !== 'string') throw invalidParams('name must be a string');
      if (!isObject(args)) throw invalidParams('arguments must be an object');
      if (!handlers.callTool) throw methodNotFound(method);
      return handlers.callTool(name, args, signal);
    }
    case 'resources/read': {
      const { uri } = params;
      if (typeof uri !== 'string') throw invalidParams('uri must be a string');
      if (!handlers.readResource) throw methodNotFound(method);
      return handlers.readResource(uri, signal);
    }
    case 'ui/open-link':
      if (!handlers.openLink) throw refused('this host opens no links');
      await handlers.openLink(linkOf(params['url']), signal);
      return {};
    case 'ui/message': {
      if (!handlers.message) throw refused('this host takes no messages');
      if (params['role'] !== 'user') throw invalidParams('role must be "user"');
      // Apps shows one block here, but the types of its package have a list.
      const { content } = params;
      await handlers.message(blocksOf(Array.isArray(content) ? content : [content], 'content'), signal);
      return {};
    }
    case 'ui/update-model-context': {
      if (!handlers.updateModelContext) throw refused('this host takes no context for a model');
      const { content, structuredContent } = params;
      if (structuredContent !== undefined && !isObject(structuredContent)) throw invalidParams('structuredContent must be an object');
      await handlers.updateModelContext({
        ...content !== undefined && { content: blocksOf(content, 'content') }, ...structuredContent !== undefined && { structuredContent },
      }, signal);
      return {};
    }
    case 'ui/request-display-mode': {
      const { mode } = params;
      if (mode !== 'inline' && mode !== 'fullscreen' && mode !== 'pip') throw invalidParams('mode must be "inline", "fullscreen" or "pip"');
      // Apps, Display Modes: never a mode that the app did not declare; the answer has the resulting mode.
      const { current, supported } = modes;
      if (!handlers.requestDisplayMode || mode === current || supported?.includes(mode) === false) return { mode: current };
      return { mode: await handlers.requestDisplayMode(mode, signal) };
    }
    default:
      throw methodNotFound(method);
  }
}

/** Checks a link that an app wants to open. Refuses scripts, files and other schemes before the person is asked. */
function linkOf(url: unknown): URL {
  if (typeof url !== 'string' || url.length > 8192 || !URL.canParse(url)) throw invalidParams('url must be a URL');
  const link = new URL(url);
  if (!/^https?:$/.test(link.protocol) || link.username !== '' || link.password !== '') throw refused(`${quote(link.protocol)} is not opened from an app, or has a name and a password`);
  return link;
}

function blocksOf(content: unknown, path: string): readonly ContentBlock[] {
  if (!Array.isArray(content) || !content.every((one): one is ContentBlock => isObject(one) && typeof one['type'] === 'string')) {
    throw invalidParams(`${path} must be content blocks`);
  }
  return content;
}
