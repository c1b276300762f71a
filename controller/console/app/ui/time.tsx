import { computed, signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { serverOffsetMs } from '../api/server-clock.ts';
import { locale } from '../preferences/language.ts';
import { shellTexts } from '../texts/shell.ts';
import { durationText, msText as msTextIn } from './duration.ts';

export { durationText };

const browserNow = signal(Date.now());
/** Unix ms by the server's clock; updated every ten seconds while a relative time is shown. */
export const now = computed(() => browserNow.value + serverOffsetMs.value);
const subscribers = { count: 0, timer: 0 };

/** `now`, kept up to date. */
export function useNow(): number {
  useEffect(() => {
    subscribers.count += 1;
    if (subscribers.count === 1) {
      browserNow.value = Date.now();
      subscribers.timer = window.setInterval(() => {
        browserNow.value = Date.now();
      }, 10_000);
    }
    return () => {
      subscribers.count -= 1;
      if (subscribers.count === 0) clearInterval(subscribers.timer);
    };
  }, []);
  return now.value;
}

/** Unix ms of a time from the API: ISO 8601 or Unix ms. */
export function timeOf(at: string | number): number {
  return typeof at === 'number' ? at : Date.parse(at);
}

export function numberText(value: number, digits = 0): string {
  return value.toLocaleString(locale.value, { maximumFractionDigits: digits });
}

export function percentText(percent: number, digits = 2): string {
  return (percent / 100).toLocaleString(locale.value, { style: 'percent', maximumFractionDigits: digits });
}

export function msText(ms: number): string {
  return msTextIn(ms, locale.value);
}

/** All time formats of the console, by precision: for measurements, plans and dates. */
const FORMATS = {
  second: { dateStyle: 'medium', timeStyle: 'medium' },
  minute: { dateStyle: 'medium', timeStyle: 'short' },
  weekday: { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric', hour: '2-digit', minute: '2-digit' },
  clock: { timeStyle: 'short' },
  /** A day of statistics, which use UTC. */
  utcDay: { dateStyle: 'medium', timeZone: 'UTC' },
  tickDay: { day: 'numeric', month: 'short' },
} as const satisfies Record<string, Intl.DateTimeFormatOptions>;
type TimeFormat = keyof typeof FORMATS;

/** Date and time in the viewer's zone. */
export function timeText(at: string | number, format: TimeFormat = 'second'): string {
  return new Date(timeOf(at)).toLocaleString(locale.value, FORMATS[format]);
}

/** A time in the viewer's zone, with UTC on hover. */
export function Time({ at, format = 'second' }: { at: string | number; format?: TimeFormat }) {
  const iso = new Date(timeOf(at)).toISOString();
  return <time dateTime={iso} title={shellTexts.utc(iso.slice(0, 19).replace('T', ' '))}>{timeText(at, format)}</time>;
}

/** As in "3 min ago" or "in 2 d", kept up to date; the exact time on hover. */
export function Ago({ at }: { at: string | number }) {
  const seconds = (useNow() - timeOf(at)) / 1000;
  const away = durationText(Math.trunc(Math.abs(seconds)), 1);
  const text = Math.abs(seconds) < 5 ? shellTexts.justNow : seconds > 0 ? shellTexts.ago(away) : shellTexts.ahead(away);
  const iso = new Date(timeOf(at)).toISOString();
  return <time dateTime={iso} title={`${timeText(at)} · ${shellTexts.utc(iso.slice(0, 19).replace('T', ' '))}`}>{text}</time>;
}

/** Time elapsed, kept up to date, in one or two units: "2 h 5 min", "11 min". See `durationText`. */
export function Since({ at }: { at: string | number }) {
  return <>{durationText((useNow() - timeOf(at)) / 1000, 10)}</>;
}
