/** The number of source lines that contain only a comment. */
export function commentLines(source) {
  let count = 0;
  let inBlock = false;
  for (const line of source.split('\n')) {
    const text = line.trim();
    const begins = inBlock || text.startsWith('/*');
    if (!begins) {
      if (text.startsWith('//')) count++;
      continue;
    }
    const end = text.indexOf('*/', inBlock ? 0 : 2);
    inBlock = end < 0;
    if (inBlock || end === text.length - 2) count++;
  }
  return count;
}
