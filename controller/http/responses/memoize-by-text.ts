/** Longer keys aren't memoized. */
const MAX_KEY_LENGTH = 250;

/**
 * Memoizes `compute` for texts that many requests repeat, such as addresses and browser names. Holds
 * `maxEntries` and clears them all when full, so that no client can fill it for good.
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
