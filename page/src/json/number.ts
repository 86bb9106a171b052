/** A number as JSON writes it. RFC 8259, section 6. */
const grammar = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** A number as a person may type it, such as `+5` and `.5`, which are not JSON. */
const typed = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;

/** A longer text is not accepted as a number. */
const maxChars = 400;

/** Whether a text is a JSON number. */
export const isJsonNumber = (text: string): boolean => text.length <= maxChars && grammar.test(text);

/** The number in a text, or the nearest that JavaScript can hold; undefined if the text is not a number. */
export function numberOf(text: string): number | undefined {
  if (text.length > maxChars || !typed.test(text)) return undefined;
  const value = Number(text);
  return Number.isFinite(value) ? value : Math.sign(value) * Number.MAX_VALUE;
}

/** Whether JavaScript holds this number exactly. False for 9007199254740993, 1e400 and 0.1000000000000000000001. */
export function isExact(lexeme: string): boolean {
  const value = Number(lexeme);
  return Number.isFinite(value) && digitsOf(lexeme) === digitsOf(String(value));
}

/** A canonical form, equal for equal numbers: the digits without zeros at the ends, and the power of ten. */
function digitsOf(lexeme: string): string {
  const [, sign = '', whole = '', part = '', power = '0'] = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/.exec(lexeme) ?? [];
  const all = `${whole}${part}`.replace(/^0+/, '');
  const digits = trimmedZeros(all);
  if (digits === '') return '0';
  return `${sign === '-' ? '-' : ''}${digits}e${Number(power) - part.length + all.length - digits.length}`;
}

// A loop, because a regular expression for the zeros at the end would start again at each run of zeros.
function trimmedZeros(digits: string): string {
  let end = digits.length;
  while (end > 0 && digits[end - 1] === '0') end--;
  return digits.slice(0, end);
}
