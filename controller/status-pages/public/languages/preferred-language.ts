import { z } from 'zod';
import type { PublicContext } from '../../../http/routing/route.ts';
import { acceptedLanguage as acceptedOf } from '../../../pages/accepted-language.ts';
import { LANGUAGES, type Language } from './language.ts';

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
  return acceptedOf(accepted, LANGUAGES);
}
