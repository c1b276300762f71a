import type { HttpSpec } from '../../../shared/contracts/check-spec.ts';

const MAX_NAMED = 10;

type Expectation = Pick<HttpSpec, 'expected_status' | 'expected_ranges'>;

/** Whether a status is in the list or a range; with neither, whether it is from 200 to 299. */
export function isExpected(expectation: Expectation, status: number): boolean {
  const { expected_status: codes, expected_ranges: ranges = [] } = expectation;
  if (codes.length === 0 && ranges.length === 0) return status >= 200 && status <= 299;
  return codes.includes(status) || ranges.some(({ first, last }) => status >= first && status <= last);
}

/** The statuses accepted by `isExpected`, for a message. */
export function expectedText(expectation: Expectation): string {
  const { expected_status: codes, expected_ranges: ranges = [] } = expectation;
  const names = [...codes.map(String), ...ranges.map(({ first, last }) => `${first}-${last}`)];
  if (names.length === 0) return '200-299';
  return names.length === 1 ? (names[0] as string) : `one of ${names.slice(0, MAX_NAMED).join(', ')}`;
}
