/**
 * A lane that has been still for this much longer than any plan keeps results is forgotten: whatever its
 * probe may send again is too old to be taken twice. Enough for clocks that are hours wrong.
 */
const MARGIN_MS = 2 * 86_400_000;

/** Lanes that may be forgotten at `now` (Unix ms). `moved` has the instant at which each was last moved. */
export function forgottenLanes(
  moved: ReadonlyMap<string, number>, longestRawMs: number, now: number,
): string[] {
  const before = now - longestRawMs - MARGIN_MS;
  return [...moved].filter(([, at]) => at < before).map(([lane]) => lane);
}
