import { computed, effect, signal } from '@preact/signals';

export const LANGUAGES = { en: 'English', de: 'Deutsch' } as const;
export type Language = keyof typeof LANGUAGES;

/** The language of all texts: the one chosen here before, else the browser's. */
export const language = signal<Language>(initialLanguage());

/** How numbers and times are written: as the browser's owner does, where that is of the same language. */
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
