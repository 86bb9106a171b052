// A long body is encoded once, for its length and for the socket: it must arrive exactly, to the octet.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { McpServer } from '../../../src/server/index.ts';
import { both, modern } from './harness.ts';
import { serveHttp } from './engine.ts';

/** Length in characters from which a body counts as long (`listener.ts`). */
const long = 16_384;

test('a body of any length, with characters of one to four octets, arrives whole, with its length in octets', async (t) => {
  const server = new McpServer({ name: 'long', version: '1.0.0' });
  server.tool('say', { input: { type: 'object', properties: { letter: { type: 'string' }, length: { type: 'integer' } } } },
    ({ letter, length }) => String(letter).repeat(Number(length)));
  const { url, close } = await serveHttp(server, { port: 0 });
  t.after(() => close({ drainMs: 0 }));
  const ask = async (letter: string, length: number, accept: string): Promise<{ octets: number; announced: string | null; said: string }> => {
    const { headers = {}, body } = modern('tools/call', { name: 'say', arguments: { letter, length } }, { 'mcp-name': 'say', accept });
    const answer = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) });
    const bytes = new Uint8Array(await answer.arrayBuffer());
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    const line = answer.headers.get('content-type') === 'text/event-stream' ? text.split('\n').findLast((one) => one.startsWith('data: {'))?.slice(6) ?? '' : text;
    const { result } = JSON.parse(line) as { result: { content: { text: string }[] } };
    return { octets: bytes.length, announced: answer.headers.get('content-length'), said: result.content[0]?.text ?? '' };
  };
  // The length of the JSON around the text; it lets the body have exactly the wanted number of characters.
  const around = (await ask('a', 0, both)).octets;
  for (const accept of [both, 'text/event-stream']) {
    for (const letter of ['a', 'é', '€', '😀', '"', '\n']) {
      const units = JSON.stringify(letter).length - 2;
      for (const characters of [long - 1, long, long + 1, 3 * long]) {
        const length = Math.ceil((characters - around) / units);
        const { octets, announced, said } = await ask(letter, length, accept);
        const what = `${JSON.stringify(letter)}, ${characters} characters, ${accept}`;
        assert.equal(said, letter.repeat(length), what);
        assert.equal(announced, `${octets}`, what);
      }
    }
  }
});
