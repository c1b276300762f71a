import { z } from 'zod';

/** Text on one line, trimmed: no control characters, which could forge lines of mails, headers and logs. Lengths are in characters after trimming. */
export function oneLine(min: number, max: number) {
  return z
    .string()
    .trim()
    .min(min, min === 1 ? 'Must not be empty' : `Must be at least ${min} characters`)
    .max(max, `Must be at most ${max} characters`)
    .refine((text) => !/[\p{Cc}\u2028\u2029]/u.test(text), 'Must not contain control characters');
}
