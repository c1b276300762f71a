import { html, type Html } from '../../../pages/html.ts';
import { CHINESE } from './chinese.ts';
import { ENGLISH } from './english.ts';
import { FRENCH } from './french.ts';
import { GERMAN } from './german.ts';
import { JAPANESE } from './japanese.ts';
import { SPANISH } from './spanish.ts';
import type { Texts } from './texts.ts';

/** English comes first: it is the default. */
export const LANGUAGES = ['en', 'de', 'fr', 'es', 'zh', 'ja'] as const;
export type Language = (typeof LANGUAGES)[number];

export const TEXTS: Readonly<Record<Language, Texts>> = {
  en: ENGLISH, de: GERMAN, fr: FRENCH, es: SPANISH, zh: CHINESE, ja: JAPANESE,
};

/** The locale whose date and number formats each language uses. */
const LOCALES: Readonly<Record<Language, string>> =
  { en: 'en-GB', de: 'de', fr: 'fr', es: 'es', zh: 'zh-CN', ja: 'ja' };

/** The texts of a page, and its formats for numbers, dates and lists. */
export interface PageLocale {
  language: Language;
  texts: Texts;
  /** An ISO 8601 instant in the page's time zone, with the zone's name. */
  time(instant: string): Html;
  /** A range of two ISO 8601 instants; common parts appear once. */
  timeRange(from: string, to: string): string;
  /** A day of the last year by its start in UTC, Unix ms. */
  day(at: number): string;
  /** The day that contains an instant (Unix ms) in the page's time zone, as midnight UTC. */
  dayOf(instant: number): number;
  /** A day or a range of days with the year; each as `dayOf` returns it. */
  longDays(first: number, last: number): string;
  /** Rounded down to two decimals: shows 100 only if nothing failed. */
  percent(value: number): string;
  /** Without decimals. */
  whole(value: number): string;
  list(names: readonly string[]): string;
}

/** Formats instants in a time zone (IANA name), with its name. */
export function dateTimeFormat(language: Language, timeZone: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat(LOCALES[language], {
    timeZone, year: 'numeric', month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit',
    timeZoneName: 'short',
  });
}

/** @param timeZone IANA name */
export function pageLocale(language: Language, timeZone: string): PageLocale {
  const locale = LOCALES[language];
  const times = dateTimeFormat(language, timeZone);
  const days = new Intl.DateTimeFormat(locale, { timeZone: 'UTC', month: 'short', day: 'numeric' });
  const longDays = new Intl.DateTimeFormat(locale, { timeZone: 'UTC', year: 'numeric', month: 'long', day: 'numeric' });
  // Swedish dates are ISO 8601.
  const isoDays = new Intl.DateTimeFormat('sv', { timeZone });
  const percents = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 2 });
  const numbers = new Intl.NumberFormat(locale, { maximumFractionDigits: 0 });
  const lists = new Intl.ListFormat(locale);
  return {
    language, texts: TEXTS[language],
    time: (instant) => html`<time datetime="${instant}">${times.format(new Date(instant))}</time>`,
    timeRange: (from, to) => times.formatRange(new Date(from), new Date(to)),
    day: (at) => days.format(at),
    dayOf: (instant) => Date.parse(isoDays.format(instant)),
    longDays: (first, last) => longDays.formatRange(first, last),
    percent: (value) => percents.format(Math.floor(value * 100) / 10_000),
    whole: (value) => numbers.format(value),
    list: (names) => lists.format(names),
  };
}
