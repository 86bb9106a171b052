import type { ClientCapabilities, Implementation } from '../protocol/initialize.ts';
import type { Revision } from '../protocol/revisions.ts';
import type { ClientOptions } from './options.ts';

/**
 * What the client declares in a revision: what it has handlers for, in that revision's words and no newer
 * ones.
 */
export function declaredCapabilities(options: ClientOptions, revision: Revision): ClientCapabilities {
  const { onElicit, onElicitUrl, onSample, roots, extensions, capabilities = {} } = options;
  const legacy = revision.era === 'legacy';
  const declared: ClientCapabilities = {};
  const elicitation = capabilities.elicitation
    ?? ((onElicit || onElicitUrl) && { ...(onElicit && { form: {} }), ...(onElicitUrl && { url: {} }) });
  if (elicitation && revision.urlElicitation) declared.elicitation = elicitation;
  // Before there were modes, elicitation was by form.
  else if (elicitation && revision.elicitation && (elicitation.form || !elicitation.url)) {
    declared.elicitation = {};
  }
  const sampling = capabilities.sampling ?? (onSample && {});
  if (sampling) declared.sampling = revision.samplingTools ? sampling : {};
  const rooted = capabilities.roots ?? (roots && { listChanged: true });
  if (rooted) declared.roots = legacy ? rooted : {};
  if (capabilities.experimental) declared.experimental = capabilities.experimental;
  if (revision.extensions && (extensions || capabilities.extensions)) {
    declared.extensions = { ...capabilities.extensions };
    for (const [id, { settings = {} }] of Object.entries(extensions ?? {})) {
      declared.extensions[id] = settings;
    }
  }
  return declared;
}

/** What the client says of itself, in a revision's words. */
export function declaredInfo(info: Implementation, revision: Revision): Implementation {
  if (revision.icons) return info;
  const { name, version, title } = info;
  return revision.titles && title !== undefined ? { name, version, title } : { name, version };
}
