/** Escapes a text for a table cell. */
export const cell = (text) => text.replaceAll('|', '\\|').replaceAll('<', '&lt;');
