import { computed, signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { serverAhead } from '../api/server-clock.ts';
import { locale } from '../preferences/language.ts';
import { shellTexts } from '../texts/shell.ts';
import { durationParts, UNITS } from './duration.ts';

const own = signal(Date.now());
/** Unix ms by the server's clock; moves every ten seconds while somebody shows a relative time. */
export const now = computed(() => own.value + serverAhead.value);
const watching = { count: 0, timer: 0 };

function useNow(): number {
  useEffect(() => {
    watching.count += 1;
    if (watching.count === 1) {
      own.value = Date.now();
      watching.timer = window.setInterval(() => {
        own.value = Date.now();
      }, 10_000);
    }
    return () => {
      watching.count -= 1;
      if (watching.count === 0) clearInterval(watching.timer);
    };
  }, []);
  return now.value;
}

/** Unix ms of a time as the API writes it: ISO 8601 or Unix ms. */
export function timeOf(at: string | number): number {
  return typeof at === 'number' ? at : Date.parse(at);
}

/** As "2 h 5 min"; see `durationParts`. */
export function durationText(seconds: number, most = Infinity): string {
  return durationParts(seconds, most)
    .map(({ unit, value }) => new Intl.NumberFormat(locale.value, { style: 'unit', unit, unitDisplay: 'short' }).format(value))
    .join(' ');
}

export function numberText(value: number, digits = 0): string {
  return value.toLocaleString(locale.value, { maximumFractionDigits: digits });
}

export function percentText(percent: number, digits = 2): string {
  return (percent / 100).toLocaleString(locale.value, { style: 'percent', maximumFractionDigits: digits });
}

export function msText(ms: number): string {
  return `${numberText(ms, ms < 10 ? 1 : 0)} ms`;
}

/** Date and time in the viewer's zone. */
export function timeText(at: string | number, options: Intl.DateTimeFormatOptions = { dateStyle: 'medium', timeStyle: 'medium' }): string {
  return new Date(timeOf(at)).toLocaleString(locale.value, options);
}

/** A time in the viewer's zone, with UTC on hover. */
export function Time({ at, options }: { at: string | number; options?: Intl.DateTimeFormatOptions }) {
  const iso = new Date(timeOf(at)).toISOString();
  return <time dateTime={iso} title={shellTexts.utc(iso.slice(0, 19).replace('T', ' '))}>{timeText(at, options)}</time>;
}

/** As "3 min ago", kept up to date; the exact time on hover. */
export function Ago({ at }: { at: string | number }) {
  const seconds = (useNow() - timeOf(at)) / 1000;
  const [unit, size] = UNITS.find(([, each]) => Math.abs(seconds) >= each) ?? ['second', 1];
  const text = Math.abs(seconds) < 5
    ? shellTexts.justNow
    : new Intl.RelativeTimeFormat(locale.value, { style: 'short' }).format(-Math.trunc(seconds / size), unit);
  const iso = new Date(timeOf(at)).toISOString();
  return <time dateTime={iso} title={`${timeText(at)} · ${shellTexts.utc(iso.slice(0, 19).replace('T', ' '))}`}>{text}</time>;
}

/** How long since then, kept up to date, and as exact as somebody reads it: "2 h 5 min", "11 min". As `durationText`. */
export function Since({ at, most = 10 }: { at: string | number; most?: number }) {
  return <>{durationText((useNow() - timeOf(at)) / 1000, most)}</>;
}
