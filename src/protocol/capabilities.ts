import { missingClientCapabilityCode, RpcError } from '../jsonrpc/errors.ts';
import * as revisionTable from './revisions.ts';
import type { ClientCapabilities, ServerCapabilities } from './lifecycle.ts';
import { neededCapability } from './methods.ts';
import type { Revision } from './revisions.ts';

/**
 * Thrown by a question for which the client declared no capability. A handler can catch it and go on without an
 * answer. 2026-07-28 basic/index#_meta: uncaught, it answers the request with `-32021` and the missing capabilities.
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

/** The capability that a question needs and the client did not declare; undefined: the client declared it. */
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
 * Whether the server declared what this request needs. `completion/complete` needs its capability only where
 * the revision has one. 2025-11-25 basic/lifecycle#operation: only what was negotiated may be used.
 */
export function serverSupports(method: string, has: ServerCapabilities, revision: Revision): boolean {
  const needs = neededCapability(method);
  if (needs === undefined) return true;
  if (needs === 'completions' && !revisionTable.completionsCapability(revision)) return true;
  const [name = '', setting] = needs.split('.');
  const own = Object.hasOwn(has, name) ? has[name as keyof ServerCapabilities] as Record<string, unknown> : undefined;
  return Boolean(setting === undefined ? own : own?.[setting]);
}

/** Adds capabilities to others. What both have under `extensions` and `experimental` is joined; of the rest the later stands. */
export function mergeCapabilities(into: ServerCapabilities, { extensions, experimental, ...rest }: ServerCapabilities = {}): void {
  Object.assign(into, rest);
  if (extensions) into.extensions = { ...into.extensions, ...extensions };
  if (experimental) into.experimental = { ...into.experimental, ...experimental };
}
