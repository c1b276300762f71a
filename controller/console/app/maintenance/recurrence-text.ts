import { locale } from '../preferences/language.ts';
import { maintenanceTexts as texts } from '../texts/maintenance.ts';
import { choiceOf, WEEKDAYS, type Weekday } from './recurrence.ts';

/** A Monday. */
const MONDAY = Date.UTC(2024, 0, 1);
const DAY_MS = 86_400_000;

export function weekdayText(day: Weekday, weekday: 'long' | 'short' = 'long'): string {
  return new Date(MONDAY + WEEKDAYS.indexOf(day) * DAY_MS).toLocaleDateString(locale.value, { weekday, timeZone: 'UTC' });
}

/** As in "On the second Sunday of the month". */
export function nthText(nth: number, day: Weekday): string {
  if (nth === -1) return texts.lastDay(weekdayText(day));
  const ordinal = [texts.first, texts.second, texts.third, texts.fourth][nth - 1] ?? String(nth);
  return texts.nthDay(ordinal, weekdayText(day));
}

/** Describes a rule in words if the form supports it; otherwise returns the rule. */
export function recurrenceText(rule: string | null): string {
  const choice = choiceOf(rule);
  if (choice.kind === 'once') return texts.once;
  if (choice.kind === 'custom') return choice.rule;
  const { kind, every, days, nth, count } = choice;
  const when = nth !== null && days[0] !== undefined ? [nthText(nth, days[0])] : days.map((day) => weekdayText(day));
  return [
    every > 1 ? `${texts[kind]} (${texts.every} ${every})` : texts[kind], when.join(', '), count === null ? '' : `${count}×`,
  ].filter((part) => part !== '').join(' · ');
}
