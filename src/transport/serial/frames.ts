import { checkOptions } from '../../bounds/options.ts';
import { checkLimits, defaultLinkLimits, SerialLink } from './link.ts';
import type { LinkLimits } from './link.ts';
import type { SerialFraming } from './byte-link.ts';

/** The limits of a link, each of which may be left out. */
type SomeLinkLimits = { readonly [Name in keyof LinkLimits]?: LinkLimits[Name] | undefined };

/** What `frames` may be given. */
export interface FramesOptions extends SomeLinkLimits {
  /**
   * Makes the identifier of a link: a whole number from 0 to 2^32 - 1 that no link of this side had before, also before a
   * restart. By default a random number; a device without randomness counts its starts in a memory that lasts.
   */
  readonly newId?: (() => number) | undefined;
}

/**
 * Frames that are checked, numbered and sent again: for a wire that loses, damages, repeats or delays bytes, such as a serial
 * port without flow control, or a radio. A message arrives once and whole, or the link is reset and its caller is told.
 * Both sides must use frames. The mtu may differ. Throws a TypeError for unknown options, a RangeError for limits that do
 * not work. docs/serial.md has the format.
 */
export function frames(options: FramesOptions = {}): SerialFraming {
  checkOptions('frames: options', options, { ...defaultLinkLimits, newId: 'function' });
  const { newId = randomNumber, ...given } = options;
  const limits: LinkLimits = { ...defaultLinkLimits, ...defined(given) };
  checkLimits(limits);
  return (parts, events) => new SerialLink({ ...parts, limits, newId: () => newId() >>> 0 }, events);
}

const randomNumber = (): number => Math.random() * 0x100000000;

/** Without the members that are undefined: they count as not given. */
function defined<T extends object>(given: T): { [Name in keyof T]?: Exclude<T[Name], undefined> } {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as { [Name in keyof T]?: Exclude<T[Name], undefined> };
}
