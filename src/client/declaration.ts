import type { Bag } from '../jsonrpc/message.ts';
import * as columns from '../protocol/revisions.ts';
import type { ClientCapabilities, Implementation } from '../protocol/lifecycle.ts';
import type { LoggingLevel } from '../protocol/logging.ts';
import { capabilitiesKey, clientInfoKey, logLevelKey, versionKey } from '../protocol/meta.ts';
import type { Revision } from '../protocol/revisions.ts';
import type { CoreClientOptions } from './options.ts';

/** The capabilities that the client declares in a revision: those of its parts, and its extensions. */
export function declaredCapabilities(options: CoreClientOptions, revision: Revision): ClientCapabilities {
  const { answering, extensions, capabilities = {} } = options;
  const declared: ClientCapabilities = answering ? answering.capabilities(revision) : {};
  if (capabilities.experimental) declared.experimental = capabilities.experimental;
  const own = Object.entries(extensions ?? {}).filter(([, { revisions }]) => revisions?.includes(revision.version) !== false);
  // SEP-2133: in `initialize` as in the `_meta` of 2026-07-28.
  if (own.length > 0 || capabilities.extensions) {
    declared.extensions = { ...capabilities.extensions };
    for (const [id, { settings = {} }] of own) declared.extensions[id] = settings;
  }
  return declared;
}

/** The name and version of the client, with the members that the revision defines. */
export function declaredInfo(info: Implementation, revision: Revision): Implementation {
  if (columns.icons(revision)) return info;
  const { name, version, title } = info;
  return columns.titles(revision) && title !== undefined ? { name, version, title } : { name, version };
}

/** `_meta` of every modern request. 2026-07-28 basic/index#_meta. */
export function declaredMeta(
  info: Implementation, options: CoreClientOptions, logLevel: LoggingLevel | undefined, revision: Revision,
): Bag {
  const meta: Bag = {
    [versionKey]: revision.version,
    [clientInfoKey]: declaredInfo(info, revision),
    [capabilitiesKey]: declaredCapabilities(options, revision),
  };
  const level = logLevel ?? (options.onLog && 'info');
  if (level) meta[logLevelKey] = level;
  return meta;
}
