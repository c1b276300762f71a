/** Parts of a header that are looked at. */
const MOST_PARTS = 20;

/** Of these languages the one that a reader likes best by Accept-Language; null if it names none. */
export function acceptedLanguage<L extends string>(
  accepted: string | undefined, known: readonly L[],
): L | null {
  let best: L | null = null;
  let liking = 0;
  for (const part of (accepted ?? '').split(',', MOST_PARTS)) {
    const [range = '', ...settings] = part.trim().toLowerCase().split(';');
    const weight = settings.map((each) => each.trim()).find((each) => each.startsWith('q='));
    const quality = Number(weight?.slice(2) ?? 1);
    const name = range.trim().split('-')[0];
    const language = name === '*' ? null : known.find((each) => each === name);
    // Of equals the first: so does who writes no qualities mean it.
    if (language !== undefined && quality > liking && quality <= 1) [best, liking] = [language, quality];
  }
  return best;
}
