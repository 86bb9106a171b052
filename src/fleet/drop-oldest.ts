/** Drops the oldest hundredth of a full map at once: to find the oldest one behind the holes that V8 keeps takes tens of microseconds. */
export function dropOldest(map: Map<string, unknown>): void {
  let left = map.size / 100;
  for (const key of map.keys()) if (left-- > 0) map.delete(key); else return;
}
