import type { BodyLength } from '../../src/transport/http1/body-decoder.ts';
import type { MessageDecoder } from '../../src/transport/http1/message-decoder.ts';

/** One octet per character. */
export const octetsOf = (text: string): Uint8Array => Uint8Array.from(text, (one) => one.charCodeAt(0));
const textOf = (bytes: Uint8Array): string => bytes.reduce((text, one) => text + String.fromCharCode(one), '');

/** Cuts `bytes` at these places. Each piece is a copy. */
export function piecesOf(bytes: Uint8Array, cuts: readonly number[]): Uint8Array[] {
  const all = [0, ...cuts, bytes.length];
  return all.slice(1).map((end, i) => bytes.slice(all[i], end));
}

/**
 * Everything that a decoder reads: for each message its head as `show` returns it, and its content; `!` and the status for a refusal; `…`
 * if more is needed.
 */
export function readAll<H extends { readonly body: BodyLength }>(decoder: MessageDecoder<H>, pieces: readonly Uint8Array[], show: (head: H) => string): string[] {
  const said: string[] = [];
  let content = '';
  for (const piece of pieces) {
    let at = 0;
    for (let event = decoder.read(piece, at); event !== 'more'; event = decoder.read(piece, at)) {
      at = decoder.at;
      if (event === 'fault') return [...said, `!${decoder.refused?.status}`];
      if (event === 'head') content = '';
      else if (event === 'body') content += textOf(decoder.body);
      else {
        if (decoder.head) said.push(`${show(decoder.head)} ${JSON.stringify(content)}`);
        decoder.next();
      }
    }
    if (decoder.at !== piece.length) throw new Error(`it said that all was read at ${decoder.at} of ${piece.length}`);
  }
  if (!decoder.begun) return said;
  const { head } = decoder;
  return decoder.ended() === 'end' && head ? [...said, `${show(head)} ${JSON.stringify(`${content}…`)}`] : [...said, '…'];
}
