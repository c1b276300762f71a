import { effect, signal } from '@preact/signals';
import { language } from '../preferences/language.ts';

type Text = string | ((...values: never[]) => string);
type Texts = Record<string, Text>;

/** A translation, with the same shape as the English texts. */
export type Translation<T extends Texts> = {
  [K in keyof T]: T[K] extends (...values: infer V) => string ? (...values: V) => string : string;
};

/**
 * The texts of one section in the user's language: `texts.heading`, `texts.found(3)`. Components that read one
 * re-render when the language changes. Languages other than English are loaded on demand.
 */
export function catalogue<const T extends Texts>(
  english: T, translations: { de: () => Promise<{ default: Translation<T> }> },
): Translation<T> {
  const own = english as unknown as Translation<T>;
  const shown = signal(own);
  effect(() => {
    const selected = language.value;
    if (selected === 'en') {
      shown.value = own;
      return;
    }
    void translations[selected]().then((loaded) => {
      if (language.peek() === selected) shown.value = loaded.default;
    }, () => {
      // Falls back to English; the next selection retries.
    });
  });
  return new Proxy({} as Translation<T>, {
    get: (_target, key) => (shown.value as Record<string, unknown>)[key as string],
  });
}
