/** Up to this many comparisons, the engine's own search is fast enough in the worst case. */
const MAX_COMPARISONS = 4_000_000;

/**
 * Whether a text contains another. Runs in linear time: the engine's search is quadratic for texts that a
 * hostile page and a matching keyword can form.
 */
export function containsText(text: string, wanted: string): boolean {
  if (text.length * wanted.length <= MAX_COMPARISONS) return text.includes(wanted);
  return eachMatch(text, wanted, () => true) === wanted.length;
}

/**
 * Calls `found` with the end of each match of `wanted` (not empty) until it returns true. Returns the length
 * of the prefix of `wanted` that the text read so far ends with. Runs in linear time.
 */
export function eachMatch(text: string, wanted: string, found: (end: number) => boolean): number {
  const borders = bordersOf(wanted);
  let matched = 0;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (matched === wanted.length) matched = borders[matched - 1] as number;
    while (matched > 0 && wanted.charCodeAt(matched) !== unit) matched = borders[matched - 1] as number;
    if (wanted.charCodeAt(matched) === unit) matched += 1;
    if (matched === wanted.length && found(at + 1)) break;
  }
  return matched;
}

/** The longest border of each prefix of `wanted` (Knuth, Morris and Pratt). */
function bordersOf(wanted: string): Uint32Array {
  const borders = new Uint32Array(wanted.length);
  let border = 0;
  for (let at = 1; at < wanted.length; at += 1) {
    while (border > 0 && wanted.charCodeAt(border) !== wanted.charCodeAt(at)) {
      border = borders[border - 1] as number;
    }
    if (wanted.charCodeAt(border) === wanted.charCodeAt(at)) border += 1;
    borders[at] = border;
  }
  return borders;
}
