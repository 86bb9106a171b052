/** How much of either end of a message is looked at: bytes, or characters. */
export const endLength = 256;

// A function, since a bundler cannot leave out a template with a tag.
const member = (): string => String.raw`"(?:jsonrpc|id|method)"\s*:\s*(?:"(?:[^"\\]|\\.)*"|-?\d+)\s*`;

/**
 * What stands at both ends of a message that cannot be read whole: whoever waits for that answer need not wait until the
 * time is up. `members` are those before the first other member, and after the last; `next` is the name of the first other
 * one. What looks like a member before the last brace is one: in a string its quotation marks would be escaped.
 */
export function outerMembers(text: string): { members: Record<string, unknown>; next: string } {
  const head = text.slice(0, endLength);
  const opening = new RegExp(String.raw`^\s*\{\s*(?:${member()},\s*)*`).exec(head)?.[0] ?? '';
  const closing = new RegExp(String.raw`(?:,\s*${member()})+\}\s*$`).exec(text.slice(-endLength))?.[0] ?? '}';
  const next = /^"(\w+)"/.exec(head.slice(opening.length))?.[1] ?? '';
  try {
    // What cannot be read stands between them.
    return { members: JSON.parse(`${opening}"":0${closing}`) as Record<string, unknown>, next };
  } catch {
    // No object, or an escape that is none.
    return { members: {}, next: '' };
  }
}
