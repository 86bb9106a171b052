import { visible } from '../explain/safe-text.ts';
import { finding } from './finding.ts';
import type { Finding } from './finding.ts';

const byCode: readonly (readonly [RegExp, (host: string) => Finding])[] = [
  [/ENOTFOUND|EAI_AGAIN|EAI_NODATA|EAI_NONAME/, (host) => finding('name-not-found', `${host}: unknown host.`)],
  [/ECONNREFUSED/, (host) => finding('connection-refused', `${host}: nothing listens there, or it refuses connections.`)],
  [/CERT_HAS_EXPIRED/, (host) => finding('tls-failed', `${host}: the certificate has expired.`, { todo: 'Renew the certificate of the server.' })],
  [/SELF_SIGNED/, (host) => finding('tls-failed', `${host}: the certificate is self-signed, or its authority is unknown to this machine.`)],
  [/ALTNAME_INVALID/, (host) => finding('tls-failed', `${host}: the certificate is for another name.`, { todo: 'Use the name that the certificate has, or give the server one for this name.' })],
  [/UNABLE_TO_(VERIFY|GET)|CERT_|ERR_TLS/, (host) => finding('tls-failed', `${host}: the certificate could not be verified.`)],
  [/WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|EPROTO/, (host) => finding('wrong-scheme', `${host}: it does not answer in TLS.`, { todo: 'Write http:// instead of https://, or let the server speak TLS.' })],
  [/HPE_/, (host) => finding('wrong-scheme', `${host}: its answer is not HTTP; it may speak TLS.`, { todo: 'Write https:// instead of http://, if the server speaks TLS.' })],
  [/ETIMEDOUT|CONNECT_TIMEOUT|EHOSTUNREACH|ENETUNREACH/, (host) => finding('connect-timeout', `${host}: the connection failed.`)],
  [/TimeoutError|HEADERS_TIMEOUT/, (host) => finding('no-answer', `${host}: the request was accepted, but not answered.`, { todo: 'Read the log of the server: it accepts requests but does not answer.' })],
  [/ECONNRESET|EPIPE|UND_ERR_SOCKET|other side closed/, (host) => finding('connection-lost', `${host}: the connection was cut before an answer came.`)],
];

/** The reason why an HTTP request got no answer, from the runtime's error (or its cause). */
export function networkFinding(error: unknown, url: string): Finding {
  const host = visible(URL.canParse(url) ? new URL(url).host : url).slice(0, 200);
  const said: string[] = [];
  // The reason is often in `cause`, and each address of a host may have its own error.
  const gather = (one: unknown, depth: number): void => {
    if (typeof one !== 'object' || one === null || depth > 4) return;
    const { name, code, message, cause, errors } = one as { readonly [member: string]: unknown };
    for (const text of [code, name, message]) if (typeof text === 'string') said.push(text);
    gather(cause, depth + 1);
    if (Array.isArray(errors)) for (const inner of errors.slice(0, 8)) gather(inner, depth + 1);
  };
  gather(error, 0);
  const text = said.join(' ');
  const known = byCode.find(([pattern]) => pattern.test(text))?.[1](host);
  return known ?? finding('not-reached', `${host}: the request got no answer (${visible(said.at(-1) ?? String(error)).slice(0, 200)}).`);
}
