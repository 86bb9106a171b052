/**
 * The internal exports of this folder (its door): what the kit may import from inside. Public exports are imported from the index of an
 * entry (`stdio`, `http/node`, `http/fetch`); stdio/internal-exports.ts has those that need Node. `test/imports.test.ts` fails
 * on any other import. This file is not an entry of the package.
 */

// The transport interfaces of both roles, and their traces.
export type { ClientReceiver, ClientTransport, Outgoing } from './client-port.ts';
export type { ServedClient, ServerPort } from './server-port.ts';
export type { EventTraceEntry, HttpTrace, HttpTraceEntry, Trace, TracedEvent, TraceEntry } from './trace.ts';

// Authorization, for both sides of HTTP.
export { AccessDenied } from './auth.ts';
export type { Auth, AuthRefusal } from './auth.ts';
export type { HttpAuthorization, HttpRefusal, HttpTarget } from './http/client/options.ts';

// HTTP: media types, client errors, redaction of credentials, traced bodies.
export { mediaType } from './http/client/body.ts';
export { HttpError, SessionExpired } from './http/http-error.ts';
export { redact, redactPath, redactText, redactUrl } from './http/redact.ts';
export { watchBody, watchStream } from './http/client/http-trace.ts';

// The inside of an HTTP server, for code that manages its sessions: state shared between processes, requests and refusals,
// sessions, streams.
export type { Agreed, SharedHandshake, SharedPeer } from './server-port.ts';
export type { FleetPort, Reply, Shared, SharedRequest } from './http/server/sharing.ts';
export type { HeaderFields, HttpRequest, RequestInfo } from './http/server/http-request.ts';
export { readAccept } from './http/server/posting.ts';
export { noRoom, refuse, refuseSession } from './http/server/error-response.ts';
export type { EndpointServices } from './http/server/services.ts';
export type { GivenSession, Session } from './http/server/session.ts';
export { randomId } from './http/server/sessions.ts';
export type { Sessions } from './http/server/sessions.ts';
export { SseStream } from './http/server/sse-stream.ts';
export type { AnswerStream, Attachment } from './http/server/sse-stream.ts';
