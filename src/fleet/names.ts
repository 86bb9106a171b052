// The ids that a process creates (of questions, streams and pairs) begin with its name: `<process>-<number>`. So each
// id shows its process.

/** A name for a process: 50 random bits in lower-case letters and digits. */
export function randomName(): string {
  let name = '';
  for (const byte of crypto.getRandomValues(new Uint8Array(10))) name += (byte % 32).toString(32);
  return name;
}

/** The process that an id names: the id of a question, a progress token, a stream or a pair. */
export const processIn = (id: unknown): string | undefined =>
  typeof id === 'string' ? /^([a-z\d]{1,40})-[a-z\d]+$/.exec(id)?.[1] : undefined;

/**
 * Makes the name of a GET stream from a new name, by a 0 before its number: a number never begins with 0. The name must
 * show the kind of stream, since the client learns the name before the store has its first event.
 */
export const listeningName = (name: string): string => name.replace('-', '-0');

/** Whether a stream is a GET stream, by its name. */
export const isListening = (stream: string): boolean => stream.includes('-0');

/** Reads the stream and the event number in an event id. Undefined if no fleet has made this id. */
export function readEventId(id: string): [stream: string, number: number] | undefined {
  const [, stream, digits] = /^([a-z\d]{1,40}-[a-z\d]{1,40})-(\d{1,15})$/.exec(id) ?? [];
  return stream === undefined ? undefined : [stream, Number(digits)];
}
