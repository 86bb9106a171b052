import { randomUUID } from 'node:crypto';

// NATS carries messages of at most `max_payload` bytes (1 MiB by default). A longer text is sent in pieces, one message each: a
// line with the text's id, the piece's number and their count, and then the bytes.

const encoder = new TextEncoder();
const decoder = new TextDecoder();
/** Bytes for the line, and for headers of NATS. */
const spare = 1024;

/** The messages for a text. */
export function piecesOf(text: string, maxPayload: number): Uint8Array[] {
  const bytes = encoder.encode(text);
  const size = maxPayload - spare;
  const count = Math.max(1, Math.ceil(bytes.length / size));
  const name = randomUUID();
  return Array.from({ length: count }, (_, i) =>
    Buffer.concat([encoder.encode(`${name} ${i} ${count}\n`), bytes.subarray(i * size, (i + 1) * size)]));
}

/** Maximum number of incomplete texts; the oldest are dropped, since their senders have died. */
const mostOpen = 32;

/** Reassembles texts. */
export class Assembly {
  readonly #open = new Map<string, (Uint8Array | undefined)[]>();

  /** Takes one message. Returns the text if this was its last piece. */
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
