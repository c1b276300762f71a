import { effect, signal } from '@preact/signals';
import { language } from '../preferences/language.ts';

type Text = string | ((...values: never[]) => string);
type Texts = Record<string, Text>;

/** The same texts in another language: each has the shape of the English one. */
export type Translation<T extends Texts> = {
  [K in keyof T]: T[K] extends (...values: infer V) => string ? (...values: V) => string : string;
};

/**
 * The texts of one section in the reader's language: `texts.heading`, `texts.found(3)`. A component that reads
 * one is drawn anew when the language changes. Other languages than English are loaded when first needed.
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
      // English is better than nothing, and the next choice tries again.
    });
  });
  return new Proxy({} as Translation<T>, {
    get: (_target, key) => (shown.value as Record<string, unknown>)[key as string],
  });
}
