import { randomOf } from '../random.ts';

/** Fragments that confuse parsers. */
const pieces: readonly string[] = [
  '\r', '\n', '\r\n', '\0', ' ', '\t', ':', ';', ',', '"', '0', '5', 'f', '+', '-', 'x', '_', '\u000b', '\u0085', '\u00a0', '\r\n ', '\r\n\r\n', 'chunked',
  'Content-Length: 5\r\n', 'Content-Length: 0\r\n', 'Transfer-Encoding: chunked\r\n', 'Host: g\r\n', 'Connection: keep-alive\r\n', 'Expect: 100-continue\r\n', '5\r\nhello\r\n', '0\r\n\r\n', ' HTTP/1.1', 'GET / HTTP/1.1\r\n',
];

/** Makes `count` texts by a few small changes to the given ones; the same for the same seed. */
export function* mutated(texts: readonly string[], seed: number, count: number): Generator<string> {
  const next = randomOf(seed);
  const draw = (most: number): number => Math.floor(next() * most);
  const short = texts.filter(({ length }) => length < 1000);
  for (let i = 0; i < count; i++) {
    let text = short[draw(short.length)] as string;
    for (let changes = 1 + draw(3); changes > 0; changes--) {
      const at = draw(text.length + 1);
      const piece = pieces[draw(pieces.length)] as string;
      const other = short[draw(short.length)] as string;
      switch (draw(5)) {
        case 0: text = text.slice(0, at) + piece + text.slice(at); break;
        case 1: text = text.slice(0, at) + text.slice(at + 1 + draw(3)); break;
        case 2: text = text.slice(0, at) + piece + text.slice(at + piece.length); break;
        // A line of another message.
        case 3: {
          const lines = text.split('\r\n');
          lines.splice(1 + draw(lines.length), 0, other.split('\r\n')[draw(4)] ?? '');
          text = lines.join('\r\n');
          break;
        }
        default: text = text.slice(0, at) + other.slice(draw(other.length));
      }
    }
    yield text;
  }
}
