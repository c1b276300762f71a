/** A longer one is worked out each time. */
const MAX_KEY_LENGTH = 250;

/**
 * `meaningOf`, worked out once for texts that many requests repeat: addresses, names of browsers. Remembers
 * `most` of them, and begins anew when there are more, so that no caller can fill it for good.
 */
export function memoizeByText<T>(maxEntries: number, compute: (text: string) => T): (text: string) => T {
  const cache = new Map<string, T>();
  return (text) => {
    const cached = cache.get(text);
    if (cached !== undefined) return cached;
    const value = compute(text);
    if (text.length > MAX_KEY_LENGTH) return value;
    if (cache.size >= maxEntries) cache.clear();
    cache.set(text, value);
    return value;
  };
}
