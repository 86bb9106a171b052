/** Paints text, or returns it unchanged if colour is off. */
export type Paint = (text: string) => string;

/** The paints that this project uses. */
export interface Style {
  readonly bold: Paint;
  readonly dim: Paint;
  readonly red: Paint;
  readonly green: Paint;
  readonly yellow: Paint;
  readonly blue: Paint;
  readonly magenta: Paint;
  readonly cyan: Paint;
}

/**
 * Whether to use colour. `FORCE_COLOR` decides first (`0` and `false`: no, anything else: yes), then
 * `NO_COLOR` (no-color.org: no, unless empty), then `TERM=dumb` (no), then whether the stream is a terminal.
 */
export function wantsColour(env: Readonly<Record<string, string | undefined>>, isTTY: boolean): boolean {
  if (env.FORCE_COLOR !== undefined) return env.FORCE_COLOR !== '0' && env.FORCE_COLOR !== 'false';
  if (env.NO_COLOR) return false;
  return isTTY && env.TERM !== 'dumb';
}

/** The paints with colours, or functions that return their text unchanged. */
export function style(colour: boolean): Style {
  const paint = (on: number, off: number): Paint =>
    colour ? (text) => (text === '' ? text : `\x1b[${on}m${text}\x1b[${off}m`) : (text) => text;
  return {
    bold: paint(1, 22),
    dim: paint(2, 22),
    red: paint(31, 39),
    green: paint(32, 39),
    yellow: paint(33, 39),
    blue: paint(34, 39),
    magenta: paint(35, 39),
    cyan: paint(36, 39),
  };
}
