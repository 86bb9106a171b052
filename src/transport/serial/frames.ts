import { checkOptions } from '../../bounds/options.ts';
import { checkLimits, defaultLinkLimits, SerialLink } from './link.ts';
import type { LinkLimits } from './link.ts';
import type { SerialFraming } from './byte-link.ts';

/** The limits of a link, all optional. */
type SomeLinkLimits = { readonly [Name in keyof LinkLimits]?: LinkLimits[Name] | undefined };

/** The options of `frames`. */
export interface FramesOptions extends SomeLinkLimits {
  /**
   * Creates the identifier of a link: a whole number from 0 to 2^32 - 1 that no link of this side had before, even before a
   * restart. By default a random number; a device without randomness can count its starts in persistent memory.
   */
  readonly newId?: (() => number) | undefined;
}

/**
 * Framing with checksums, numbers and retransmission: for a wire that loses, damages, repeats or delays bytes, such as a
 * serial port without flow control, or a radio. A message arrives once and complete, or the link is reset and the call fails.
 * Both sides must use `frames`; `mtu` may differ. Throws a TypeError for unknown options, a RangeError for invalid limits.
 * docs/serial.md has the format.
 */
export function frames(options: FramesOptions = {}): SerialFraming {
  checkOptions('frames: options', options, { ...defaultLinkLimits, newId: 'function' });
  const { newId = randomNumber, ...given } = options;
  const limits: LinkLimits = { ...defaultLinkLimits, ...defined(given) };
  checkLimits(limits);
  return (parts, events) => new SerialLink({ ...parts, limits, newId: () => newId() >>> 0 }, events);
}

const randomNumber = (): number => Math.random() * 0x100000000;

/** Removes undefined members, which count as absent. */
function defined<T extends object>(given: T): { [Name in keyof T]?: Exclude<T[Name], undefined> } {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as { [Name in keyof T]?: Exclude<T[Name], undefined> };
}
