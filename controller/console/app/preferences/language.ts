import { computed, effect, signal } from '@preact/signals';

export const LANGUAGES = { en: 'English', de: 'Deutsch' } as const;
export type Language = keyof typeof LANGUAGES;

/** Language of all texts: the one chosen here, else the browser's. */
export const language = signal<Language>(initialLanguage());

/** Locale of numbers and times: the browser's, if it has the same language. */
export const locale = computed(() => navigator.languages.find((tag) => tag.startsWith(language.value)) ?? language.value);

effect(() => {
  document.documentElement.lang = language.value;
});

export function chooseLanguage(chosen: Language): void {
  localStorage.setItem('language', chosen);
  language.value = chosen;
}

function initialLanguage(): Language {
  const preferred = [localStorage.getItem('language'), ...navigator.languages].map((tag) => tag?.slice(0, 2));
  return (preferred.find((tag) => tag !== undefined && tag in LANGUAGES) ?? 'en') as Language;
}
