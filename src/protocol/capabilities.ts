import { missingClientCapabilityCode, RpcError } from '../jsonrpc/errors.ts';
import * as revisionTable from './revisions.ts';
import type { ClientCapabilities, ServerCapabilities } from './lifecycle.ts';
import { neededCapability } from './methods.ts';
import type { Revision } from './revisions.ts';

/** Since 2026-07-28. The error of a request that needs a capability that its client did not declare. */
export interface MissingRequiredClientCapabilityError {
  code: -32021;
  message: string;
  data: { requiredCapabilities: ClientCapabilities };
}

/**
 * Thrown when a handler sends a request (elicitation, sampling, roots) for which the client did not declare the
 * capability. The handler may catch it and continue without an answer. Uncaught, it becomes the error response `-32021`
 * with the missing capabilities: 2026-07-28 basic/index#_meta.
 */
export class MissingCapabilityError extends RpcError {
  constructor(what: string, requiredCapabilities: ClientCapabilities) {
    super(
      missingClientCapabilityCode, `The client did not declare that it supports ${what}`,
      { requiredCapabilities },
    );
    this.name = 'MissingCapabilityError';
  }
}

/** The error for a server's request without the client's capability; undefined if the client declared it. */
export function missingForQuestion(
  method: string,
  params: Record<string, unknown>,
  { elicitation, sampling, roots }: ClientCapabilities,
  revision: Revision,
): MissingCapabilityError | undefined {
  switch (method) {
    case 'elicitation/create':
      if (params['mode'] === 'url') {
        if (revisionTable.urlElicitation(revision) && elicitation?.url) return undefined;
        return new MissingCapabilityError('elicitation by URL', { elicitation: { url: {} } });
      }
      // 2025-11-25 client/elicitation#capabilities: an empty object means forms.
      if (revisionTable.elicitation(revision) && elicitation && (elicitation.form || !elicitation.url)) return undefined;
      return new MissingCapabilityError('elicitation', { elicitation: { form: {} } });
    case 'sampling/createMessage':
      if (!sampling) return new MissingCapabilityError('sampling', { sampling: {} });
      // 2025-11-25 client/sampling: tools MUST NOT be sent to a client without sampling.tools.
      if ((params['tools'] || params['toolChoice']) && !(revisionTable.samplingTools(revision) && sampling.tools)) {
        return new MissingCapabilityError('tools in sampling', { sampling: { tools: {} } });
      }
      return undefined;
    case 'roots/list':
      return roots ? undefined : new MissingCapabilityError('roots', { roots: {} });
    default:
      return undefined;
  }
}

/**
 * True if the server declared the capability that a request needs. `completion/complete` needs it only in revisions that
 * define it. 2025-11-25 basic/lifecycle#operation: only negotiated capabilities may be used.
 */
export function serverSupports(method: string, has: ServerCapabilities, revision: Revision): boolean {
  const needs = neededCapability(method);
  if (needs === undefined) return true;
  if (needs === 'completions' && !revisionTable.completionsCapability(revision)) return true;
  const [name = '', setting] = needs.split('.');
  const own = Object.hasOwn(has, name) ? has[name as keyof ServerCapabilities] as Record<string, unknown> : undefined;
  return Boolean(setting === undefined ? own : own?.[setting]);
}

/** Adds capabilities to `into`. Merges the members of `extensions` and `experimental`; replaces other capabilities. */
export function mergeCapabilities(into: ServerCapabilities, { extensions, experimental, ...rest }: ServerCapabilities = {}): void {
  Object.assign(into, rest);
  if (extensions) into.extensions = { ...into.extensions, ...extensions };
  if (experimental) into.experimental = { ...into.experimental, ...experimental };
}
