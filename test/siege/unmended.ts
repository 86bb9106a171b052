/**
 * Shapes that are known to do harm, and whose mending has not landed: they run, and are reported apart. By
 * `role/shape`.
 */
export const unmended: Readonly<Record<string, string>> = {
  'server/batch of calls with large answers': 'forty answers of 15 MB are made and written as JSON in one turn, for all but one to be refused',
  'server/bodies that never end': 'lines that are not finished are not charged to the process, only to their pipe',
};
