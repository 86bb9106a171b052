/** Shapes with known harm whose fix has not landed: they run, but are reported separately. `role/shape` => the observed harm. */
export const unmended: Readonly<Record<string, string>> = {};
