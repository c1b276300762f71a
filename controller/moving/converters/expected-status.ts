import type { Draft } from '../fit-monitor.ts';

const CODE = /^[1-5]\d\d$/;
const RANGE = /^([1-5]\d\d)-([1-5]\d\d)$/;
const CLASS = /^([1-5])xx$/i;
const DEFAULT_RANGE = '200-299';

/** Accepted status codes, as `200`, `200-299` or `2xx`. Adds a note for any other text. */
export function expectedStatus(
  texts: readonly string[], notes: string[],
): Pick<Draft, 'expected_status' | 'expected_status_ranges'> {
  const sent = [...new Set(texts.map((text) => text.replace(CLASS, '$100-$199')))];
  const codes = sent.filter((text) => CODE.test(text)).map(Number);
  const ranges = sent.filter((text) => (RANGE.exec(text)?.[1] ?? '~') <= (RANGE.exec(text)?.[2] ?? ''));
  const others = sent.filter((text) => !ranges.includes(text) && !CODE.test(text));
  if (others.length > 0) notes.push(`These status codes are not understood: ${others.join(', ')}.`);
  if (ranges.join() === DEFAULT_RANGE && codes.length === 0) return {};
  return {
    ...(codes.length > 0 ? { expected_status: codes } : {}),
    ...(ranges.length > 0 ? { expected_status_ranges: ranges } : {}),
  };
}
