/** A text as a cell of a table. */
export const cell = (text) => text.replaceAll('|', '\\|').replaceAll('<', '&lt;');
