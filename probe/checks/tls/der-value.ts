export const SEQUENCE = 0x30;

/** The content range of the value at `at`; null if it has another tag or exceeds the bytes. */
export function enter(der: Uint8Array, at: number, tag: number): { start: number; end: number } | null {
  const first = der[at + 1];
  if (der[at] !== tag || first === undefined) return null;
  const count = first < 0x80 ? 0 : first & 0x7f;
  if (count > 4) return null;
  let length = count === 0 ? first : 0;
  for (let byte = 0; byte < count; byte += 1) length = length * 256 + (der[at + 2 + byte] ?? 0);
  const start = at + 2 + count;
  return start + length <= der.length ? { start, end: start + length } : null;
}
