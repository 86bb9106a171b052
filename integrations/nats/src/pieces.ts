import { randomUUID } from 'node:crypto';

// NATS carries messages of at most `max_payload` bytes (1 MiB unless set). A text that is longer goes in pieces, one
// message each: a line that names the text, the piece and how many there are, and then the bytes.

const encoder = new TextEncoder();
const decoder = new TextDecoder();
/** Bytes of the line, and of what NATS adds. */
const spare = 1024;

/** The messages that carry a text. */
export function piecesOf(text: string, maxPayload: number): Uint8Array[] {
  const bytes = encoder.encode(text);
  const size = maxPayload - spare;
  const count = Math.max(1, Math.ceil(bytes.length / size));
  const name = randomUUID();
  return Array.from({ length: count }, (_, i) =>
    Buffer.concat([encoder.encode(`${name} ${i} ${count}\n`), bytes.subarray(i * size, (i + 1) * size)]));
}

/** Texts of which not all pieces have come; the oldest are dropped, for their senders have died. */
const mostOpen = 32;

/** Puts texts together again. */
export class Assembly {
  readonly #open = new Map<string, (Uint8Array | undefined)[]>();

  /** Takes one message. Gives the text where this was its last piece. */
  take(message: Uint8Array): string | undefined {
    const end = message.indexOf(10);
    const [name = '', index, count] = decoder.decode(message.subarray(0, end)).split(' ');
    const bytes = message.subarray(end + 1);
    if (count === '1') return decoder.decode(bytes);
    const pieces = this.#open.get(name) ?? Array.from<Uint8Array | undefined>({ length: Number(count) });
    pieces[Number(index)] = bytes;
    this.#open.set(name, pieces);
    if (this.#open.size > mostOpen) this.#open.delete(this.#open.keys().next().value as string);
    if (pieces.includes(undefined)) return undefined;
    this.#open.delete(name);
    return decoder.decode(Buffer.concat(pieces.map((piece) => piece ?? new Uint8Array())));
  }
}
