import type { Documents } from './admission.ts';
import type { HttpRequest } from './http-request.ts';
import { refuse } from './refuse.ts';
import type { EndpointServices } from './services.ts';

/** Serves a public document to GET, and its preflight. Returns false where that is not what is asked. */
export function serveDocument(services: EndpointServices, documents: Documents, request: HttpRequest): boolean {
  const { method, path } = request;
  if (method !== 'GET' && method !== 'OPTIONS') return false;
  let text: string | undefined;
  try {
    text = JSON.stringify(typeof documents === 'function' ? documents(path)
      : Object.hasOwn(documents, path) ? documents[path]?.() : undefined) as string | undefined;
  } catch (thrown) {
    services.report(thrown);
    refuse(services, request, 500, 'The document could not be made');
    return true;
  }
  if (text === undefined) return false;
  // A browser app without a token must be able to read this metadata: from any origin, without credentials.
  request.common = { ...request.common, 'access-control-allow-origin': '*' };
  if (method === 'GET') request.respond(200, text);
  else request.respond(204, '', { 'access-control-allow-headers': '*' });
  return true;
}
