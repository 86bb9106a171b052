import { serveHttp } from 'barewire/http';
import type { HttpServer } from 'barewire/http';
import { bearer, jwtVerifier } from 'barewire/oauth';
import type { JwtVerifierOptions } from 'barewire/oauth';
import { McpServer } from 'barewire/server';

export interface Place {
  /** The public URL of the endpoint: tokens must be issued for it. */
  readonly resource: string;
  /** The authorization server. */
  readonly issuer: string;
  readonly port: number;
  /** The keys of the issuer. Default: those in its metadata. */
  readonly jwks?: JwtVerifierOptions['jwks'];
}

/** Serves tools to clients with a token of the issuer; `add_note` needs the scope `notes:write`. */
export function serveNotes({ resource, issuer, port, jwks }: Place): Promise<HttpServer> {
  const server = new McpServer({ name: 'notes', version: '0.1.0' });
  const notes = new Map<string, string[]>();

  server.tool('add_note', {
    description: 'Adds a note to your notes',
    input: { type: 'object', properties: { text: { type: 'string', maxLength: 1000 } }, required: ['text'] },
    scopes: ['notes:write'],
  }, ({ text }, ctx) => {
    const owner = ctx.auth?.principal ?? '';
    const own = [...notes.get(owner) ?? [], text].slice(-100);
    notes.set(owner, own);
    return `${own.length} notes`;
  });

  return serveHttp(server, {
    port,
    allowedHosts: [new URL(resource).host, 'localhost', '127.0.0.1'],
    auth: bearer({
      resource, authorizationServers: [issuer], scopes: ['notes:write'],
      verify: jwtVerifier(jwks === undefined ? {} : { jwks }),
      onRefused: ({ code }) => console.error(`refused: ${code}`),
    }),
  });
}
