/** Parts of a header that are looked at. */
const MAX_PARTS = 20;

/** Of these languages the one that a reader likes best by Accept-Language; null if it names none. */
export function acceptedLanguage<L extends string>(
  accepted: string | undefined, supported: readonly L[],
): L | null {
  let best: L | null = null;
  let bestQuality = 0;
  for (const part of (accepted ?? '').split(',', MAX_PARTS)) {
    const [range = '', ...settings] = part.trim().toLowerCase().split(';');
    const weight = settings.map((each) => each.trim()).find((each) => each.startsWith('q='));
    const quality = Number(weight?.slice(2) ?? 1);
    const name = range.trim().split('-')[0];
    const language = name === '*' ? null : supported.find((each) => each === name);
    // Of equals the first: so does who writes no qualities mean it.
    if (language === undefined || quality <= bestQuality || quality > 1) continue;
    [best, bestQuality] = [language, quality];
  }
  return best;
}
