import { isObject } from '../jsonrpc/internal-exports.ts';
import type { ClientCapabilities } from '../protocol/index.ts';

/** The identifier of the extension. Its specification: ext-apps, `specification/2026-01-26/apps.mdx` (SEP-1865). */
export const appsExtension = 'io.modelcontextprotocol/ui';

/** The MIME type of an app's document. */
export const appMimeType = 'text/html;profile=mcp-app';

/**
 * The declaration of a host with a screen, for the option `extensions` of a client: `{ [appsExtension]: showsApps }`. A host without a
 * screen does not declare it. Apps, Client (Host) Capabilities: `mimeTypes` is required.
 */
export const showsApps: { readonly settings: { readonly mimeTypes: readonly string[] } } = { settings: { mimeTypes: [appMimeType] } };

/** Whether a client declared that it shows apps of `appMimeType`. A handler finds the capabilities in `ctx.capabilities`. */
export function declaresApps({ extensions }: ClientCapabilities): boolean {
  const settings: unknown = extensions && Object.hasOwn(extensions, appsExtension) ? extensions[appsExtension] : undefined;
  const types = isObject(settings) ? settings['mimeTypes'] : undefined;
  return Array.isArray(types) && types.includes(appMimeType);
}

/** Why an app cannot be shown. Stable. */
export type AppErrorCode = 'uri' | 'mime-type' | 'content' | 'too-large' | 'unreadable';

/** An app that breaks a rule of the extension. It must not be shown. */
export class AppError extends Error {
  readonly code: AppErrorCode;

  constructor(code: AppErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'AppError';
    this.code = code;
  }
}
