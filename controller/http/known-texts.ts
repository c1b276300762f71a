/** A longer one is worked out each time. */
const LONGEST = 250;

/**
 * `meaningOf`, worked out once for texts that many requests repeat: addresses, names of browsers. Remembers
 * `most` of them, and begins anew when there are more, so that no caller can fill it for good.
 */
export function forKnownTexts<T>(most: number, meaningOf: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>();
  return (text) => {
    const meant = known.get(text);
    if (meant !== undefined) return meant;
    const meaning = meaningOf(text);
    if (text.length > LONGEST) return meaning;
    if (known.size >= most) known.clear();
    known.set(text, meaning);
    return meaning;
  };
}
