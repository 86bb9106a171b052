/**
 * A value from the wire as text for an error message: a string, cut to `max` UTF-16 units, in quotation marks; a
 * number, `true`, `false` and `null` unchanged; for arrays and objects only the kind. The text is short because writing
 * a refused value back in full costs as much as accepting it.
 */
export function quote(value: unknown, max: number = 80): string {
  if (typeof value === 'string') {
    return value.length <= max ? JSON.stringify(value) : `${JSON.stringify(value.slice(0, max))}...`;
  }
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}

/** Cuts a text from the wire to `max` UTF-16 units, for use in a message. */
export function shorten(text: string, max: number = 200): string {
  return text.length <= max ? text : `${text.slice(0, max)}...`;
}
