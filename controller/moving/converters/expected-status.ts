import type { Draft } from '../fit-monitor.ts';

const RANGE = /^([1-5]\d\d)(?:-([1-5]\d\d))?$/;
const CLASS = /^([1-5])xx$/i;
const DEFAULT_RANGE = '200-299';

type Expected = Pick<Draft, 'expected_status' | 'expected_status_ranges'>;

/** Accepted status codes, as `200`, `200-299` or `2xx`; none means the default. Notes any other text. */
export function expectedStatus(texts: readonly string[], notes: string[]): Expected {
  const ranges = texts.map((text) => RANGE.exec(text.replace(CLASS, '$100-$199')));
  const others = texts.filter((_text, at) => ranges[at] === null);
  if (others.length > 0) notes.push(`These status codes are not understood: ${others.join(', ')}.`);
  const known = ranges.filter((range) => range !== null);
  const isAccepted = (code: number) =>
    known.some(([, first, last]) => code >= Number(first) && code <= Number(last ?? first));
  return known.length === 0 ? {} : acceptedCodes(isAccepted);
}

/** The codes and ranges that a rule accepts. Empty for the default, 200 to 299. */
export function acceptedCodes(isAccepted: (code: number) => boolean): Expected {
  const runs: [first: number, last: number][] = [];
  for (let code = 100; code < 600; code += 1) {
    if (!isAccepted(code)) continue;
    const run = runs.at(-1);
    if (run?.[1] === code - 1) run[1] = code;
    else runs.push([code, code]);
  }
  const codes = runs.filter(([first, last]) => first === last).map(([code]) => code);
  const ranges = runs.filter(([first, last]) => first < last).map(([first, last]) => `${first}-${last}`);
  if (codes.length === 0 && ranges.join() === DEFAULT_RANGE) return {};
  return {
    ...(codes.length > 0 ? { expected_status: codes } : {}),
    ...(ranges.length > 0 ? { expected_status_ranges: ranges } : {}),
  };
}
