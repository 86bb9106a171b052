/** A number as JSON writes it. RFC 8259, section 6. */
const grammar = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** What a person may type for a number, such as `+5` and `.5`, which JSON does not write so. */
const typed = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;

/** The most characters of a number that are taken as one. */
const maxChars = 400;

/** Whether a text is a number of JSON. */
export const isJsonNumber = (text: string): boolean => text.length <= maxChars && grammar.test(text);

/** The number that was typed, as near as JavaScript can hold it; undefined: it is not a number. */
export function numberOf(text: string): number | undefined {
  if (text.length > maxChars || !typed.test(text)) return undefined;
  const value = Number(text);
  return Number.isFinite(value) ? value : Math.sign(value) * Number.MAX_VALUE;
}

/** Whether JavaScript holds exactly this number: 9007199254740993, 1e400 and 0.1000000000000000000001 it does not. */
export function isExact(lexeme: string): boolean {
  const value = Number(lexeme);
  return Number.isFinite(value) && digitsOf(lexeme) === digitsOf(String(value));
}

/** The same text for the same number: its digits without zeros at the ends, and the power of ten. */
function digitsOf(lexeme: string): string {
  const [, sign = '', whole = '', part = '', power = '0'] = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/.exec(lexeme) ?? [];
  const all = `${whole}${part}`.replace(/^0+/, '');
  const digits = trimmedZeros(all);
  if (digits === '') return '0';
  return `${sign === '-' ? '-' : ''}${digits}e${Number(power) - part.length + all.length - digits.length}`;
}

// A loop: an expression for zeros at the end tries each run of zeros anew.
function trimmedZeros(digits: string): string {
  let end = digits.length;
  while (end > 0 && digits[end - 1] === '0') end--;
  return digits.slice(0, end);
}
