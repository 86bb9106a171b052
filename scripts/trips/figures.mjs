// The figures of a trip: a list of calls in order, and the called functions.

/**
 * A leaf is a call without further calls: its function is simple (`isSimple` in instrument.mjs: a getter, a setter, or one
 * expression that calls nothing by name), and in this call it called no other function of barewire, and no handler.
 */
export function isLeaf({ id, calls }, functions) {
  return calls === 0 && functions[id].simple;
}

/**
 * The figures of a trip:
 *
 * - `all`: calls; `leaves`: calls that are leaves; `calls`: the others
 * - `functions`, `files`: number of different ones
 * - `hops`: calls in another file than the call before
 * - `returns`: hops back to an earlier file
 */
export function figuresOf(calls, functions) {
  const files = new Set();
  const left = new Set();
  let hops = 0;
  let returns = 0;
  let previous;
  for (const { id } of calls) {
    const { file } = functions[id];
    files.add(file);
    if (previous !== undefined && file !== previous) {
      hops++;
      left.add(previous);
      if (left.has(file)) returns++;
    }
    previous = file;
  }
  const leaves = calls.filter((call) => isLeaf(call, functions)).length;
  return {
    all: calls.length,
    leaves,
    calls: calls.length - leaves,
    functions: new Set(calls.map(({ id }) => id)).size,
    files: files.size,
    hops,
    returns,
  };
}

/** The calls of a trip, one per line: number, place of the function, and name, indented by depth. */
export function listing(calls, functions) {
  const top = Math.min(...calls.map(({ depth }) => depth));
  const places = calls.map(({ id }) => `src/${functions[id].file}:${functions[id].line}`);
  const width = Math.max(...places.map((place) => place.length));
  return calls.map((call, i) => [
    `${i + 1}`.padStart(4),
    places[i].padEnd(width),
    `${'  '.repeat(call.depth - top)}${functions[call.id].name}${isLeaf(call, functions) ? ' (leaf)' : ''}`,
  ].join('  '));
}

/** The first place where two trips differ, in words, or undefined. */
export function difference(one, other, functions) {
  const at = one.findIndex(({ id, depth }, i) => other[i]?.id !== id || other[i].depth !== depth);
  const place = at < 0 ? one.length : at;
  if (at < 0 && one.length === other.length) return undefined;
  const said = (call) => (call === undefined ? 'nothing' : functions[call.id].name);
  return `call ${place + 1} is ${said(one[place])} in one and ${said(other[place])} in the other`;
}
