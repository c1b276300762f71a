import { z } from 'zod';
import type { PublicContext } from '../../../http/routing/route.ts';
import { acceptedLanguage as acceptedOf } from '../../../pages/accepted-language.ts';
import { LANGUAGES, type Language } from './language.ts';

/** Query of pages that people open; an unknown language is ignored. */
export const languageQuery = z.object({ lang: z.enum(LANGUAGES).optional().catch(undefined) });
type LanguageQuery = z.infer<typeof languageQuery>;

/** The language of a response: the requested one, else the best of Accept-Language. */
export function languageOf({ languages }: Pick<PublicContext, 'languages'>, { lang }: LanguageQuery): Language {
  return lang ?? preferredLanguage(languages);
}

/** As `acceptedLanguage`; English if no supported language is accepted. */
export function preferredLanguage(accepted: string | undefined): Language {
  return acceptedLanguage(accepted) ?? 'en';
}

/** The supported language that Accept-Language ranks highest; null if it names none. */
export function acceptedLanguage(accepted: string | undefined): Language | null {
  return acceptedOf(accepted, LANGUAGES);
}
