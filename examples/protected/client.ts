#!/usr/bin/env node
// Books a trip at a server behind a login. The first time a browser opens; after that, the tokens are in a file.
//
//   node dist/examples/protected/client.js http://127.0.0.1:3000/mcp
import { McpClient } from 'barewire/client';
import { httpTransport } from 'barewire/fetch';
import { OAuthError } from 'barewire/oauth';
import { login } from 'barewire/oauth/node';

const url = process.argv[2] ?? 'http://127.0.0.1:3000/mcp';
const client = new McpClient({ name: 'traveller', version: '1.0.0' }, {
  // Empty content: the form's defaults apply.
  onElicit: ({ message }) => {
    console.error(message);
    return { action: 'accept', content: {} };
  },
});

const auth = login({ client: { name: 'Traveller' }, server: url });

try {
  // The login may take any time; during a request it would be limited by the request's timeout.
  await auth.authorize();
  await client.connect(httpTransport(url, { auth }));
  const { content } = await client.callTool('book_trip', { destination: 'Lisbon', date: '2026-05-01' });
  for (const block of content) if (block.type === 'text') console.log(block.text);
} catch (error) {
  // Each error has a code, and says which document or response is wrong, and how.
  if (!(error instanceof OAuthError)) throw error;
  console.error(`${error.code}: ${error.message}`);
  process.exitCode = 1;
} finally {
  await client.close();
}
