/**
 * Shapes that are known to do harm, and whose mending has not landed: they run, and are reported apart. By
 * `role/shape`, with what was seen.
 */
export const unmended: Readonly<Record<string, string>> = {};
