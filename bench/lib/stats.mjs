/** The middle value; of an even count, the mean of the middle two. NaN without values. */
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

/**
 * The two values that enclose the true median with a probability of at least `share`, whatever the distribution (order
 * statistics). For nine values and 80 %: the third and the seventh. For few values: the lowest and the highest.
 */
export function medianInterval(values, share = 0.8) {
  const sorted = values.filter(Number.isFinite).sort((a, b) => a - b);
  const n = sorted.length;
  let outside = 0;
  let chance = 0.5 ** n;
  let k = 0;
  // `outside`: the probability that fewer than k + 1 of the values are below the median, and the same above it.
  for (; k < (n - 1) / 2; k++) {
    outside += 2 * chance;
    if (outside > 1 - share) break;
    chance *= (n - k) / (k + 1);
  }
  k = Math.max(0, outside > 1 - share ? k - 1 : k);
  return n === 0 ? [NaN, NaN] : [sorted[k], sorted[n - 1 - k]];
}
