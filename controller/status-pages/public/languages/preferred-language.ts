import { z } from 'zod';
import type { PublicContext } from '../../../http/route.ts';
import { LANGUAGES, type Language } from './language.ts';

/** Parts of a header that are looked at. */
const MOST_PARTS = 20;

/** Of pages that people open. An unknown language is as good as none. */
export const languageQuery = z.object({ lang: z.enum(LANGUAGES).optional().catch(undefined) });
type LanguageQuery = z.infer<typeof languageQuery>;

/** The language of an answer: the one asked for, else the best of those that the reader accepts. */
export function languageOf({ languages }: Pick<PublicContext, 'languages'>, { lang }: LanguageQuery): Language {
  return lang ?? preferredLanguage(languages);
}

/** As `acceptedLanguage`; English for who names none of ours. */
export function preferredLanguage(accepted: string | undefined): Language {
  return acceptedLanguage(accepted) ?? 'en';
}

/** The language that a reader likes best according to Accept-Language; null if it says nothing of ours. */
export function acceptedLanguage(accepted: string | undefined): Language | null {
  let best: Language | null = null;
  let liking = 0;
  for (const part of (accepted ?? '').split(',', MOST_PARTS)) {
    const [range = '', ...settings] = part.trim().toLowerCase().split(';');
    const quality = Number(settings.map((each) => each.trim()).find((each) => each.startsWith('q='))?.slice(2) ?? 1);
    const name = range.trim().split('-')[0];
    const language = name === '*' ? null : LANGUAGES.find((each) => each === name);
    // Of equals the first: so does who writes no qualities mean it.
    if (language !== undefined && quality > liking && quality <= 1) [best, liking] = [language, quality];
  }
  return best;
}
