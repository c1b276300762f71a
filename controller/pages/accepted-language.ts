/** Parts of the header that are parsed. */
const MAX_PARTS = 20;

/** The supported language that Accept-Language ranks highest; null if it names none. */
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
    // The first of equals wins: clients that omit qualities list their languages in order.
    if (language === undefined || quality <= bestQuality || quality > 1) continue;
    [best, bestQuality] = [language, quality];
  }
  return best;
}
