/**
 * Shapes that are known to do harm, and whose mending has not landed: they run, and are reported apart. By
 * `role/shape`.
 */
export const unmended: Readonly<Record<string, string>> = {
  'server/batch of calls with large answers': 'forty answers of 15 MB are made and written as JSON in one turn, for all but one to be refused',
  'server/bodies that never end': 'lines that are not finished are not charged to the process, only to their pipe',
  'client/pages without end': 'pages of one list are bounded in number and not in bytes',
  'client/pings': 'answers to pings of a server over HTTP have no bound',
  'client/questions': 'questions of a server over HTTP are answered without a bound on how many at once',
};
