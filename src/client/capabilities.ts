import * as columns from '../protocol/columns.ts';
import type { ClientCapabilities, Implementation } from '../protocol/initialize.ts';
import type { Revision } from '../protocol/revisions.ts';
import type { CoreClientOptions } from './options.ts';

/** What the client declares in a revision: what its parts can do, and its extensions. */
export function declaredCapabilities(options: CoreClientOptions, revision: Revision): ClientCapabilities {
  const { answering, extensions, capabilities = {} } = options;
  const declared: ClientCapabilities = answering ? answering.capabilities(revision) : {};
  if (capabilities.experimental) declared.experimental = capabilities.experimental;
  if (columns.extensions(revision) && (extensions || capabilities.extensions)) {
    declared.extensions = { ...capabilities.extensions };
    for (const [id, { settings = {} }] of Object.entries(extensions ?? {})) {
      declared.extensions[id] = settings;
    }
  }
  return declared;
}

/** What the client says of itself, in a revision's words. */
export function declaredInfo(info: Implementation, revision: Revision): Implementation {
  if (columns.icons(revision)) return info;
  const { name, version, title } = info;
  return columns.titles(revision) && title !== undefined ? { name, version, title } : { name, version };
}
