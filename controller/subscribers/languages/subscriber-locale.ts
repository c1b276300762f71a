import { TEXTS, type Language } from '../../status-pages/public/languages/language.ts';
import type { Texts } from '../../status-pages/public/languages/texts.ts';
import { CHINESE } from './chinese.ts';
import { ENGLISH } from './english.ts';
import { FRENCH } from './french.ts';
import { GERMAN } from './german.ts';
import { JAPANESE } from './japanese.ts';
import { SPANISH } from './spanish.ts';
import type { SubscriberTexts } from './texts.ts';

const SUBSCRIBER_TEXTS: Readonly<Record<Language, SubscriberTexts>> = {
  en: ENGLISH, de: GERMAN, fr: FRENCH, es: SPANISH, zh: CHINESE, ja: JAPANESE,
};

/** Texts for subscribers in one language, and the locale of public pages. */
export interface SubscriberLocale {
  language: Language;
  texts: SubscriberTexts & Texts;
}

export function subscriberLocale(language: Language): SubscriberLocale {
  return { language, texts: { ...TEXTS[language], ...SUBSCRIBER_TEXTS[language] } };
}
