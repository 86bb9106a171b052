/** The middle value; of an even count, the mean of the middle two. NaN when there is none. */
export function median(values) {
  const sorted = values.filter(Number.isFinite).sort((a, b) => a - b);
  if (sorted.length === 0) return NaN;
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** The value below which the share `p` (0 to 1) of the values lies. */
export function percentile(values, p) {
  if (values.length === 0) return NaN;
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(p * sorted.length))];
}

/** Lowest and highest. */
export function spread(values) {
  const finite = values.filter(Number.isFinite);
  return finite.length === 0 ? [NaN, NaN] : [Math.min(...finite), Math.max(...finite)];
}
