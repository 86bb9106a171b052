// A stream is named after the process that writes it, and a GET stream so that its name says what it is: its client
// learns the name before the store has anything of it.

/** The name of a GET stream, of a name that the process has made up: what it counts never begins with 0. */
export const getStreamName = (name: string): string => name.replace('-', '-0');

export const isGetStream = (stream: string): boolean => stream.includes('-0');

/** The stream and the number of the event that an event id names; undefined: it is none of a fleet's. */
export function readEventId(id: string): [stream: string, number: number] | undefined {
  const [, stream, digits] = /^([a-z\d]{1,40}-[a-z\d]{1,40})-(\d{1,15})$/.exec(id) ?? [];
  return stream === undefined ? undefined : [stream, Number(digits)];
}
