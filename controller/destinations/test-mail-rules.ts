import { mailboxOf } from './email-rules.ts';

/** Per address and hour, whoever sends them. */
export const TESTS_PER_RECIPIENT = 3;
/** Per organization and hour. */
export const TESTS_PER_ORGANIZATION = 30;
export const TEST_WINDOW_MS = 3_600_000;

/** Each test mail occupies places for an hour, at its recipient's mailbox and at its organization. */
export interface TestLimit {
  key: string;
  /** Total number of places. */
  max: number;
  /** Places that this test needs. */
  needed: number;
}

/** The limits that apply to a test mail to these addresses. */
export function limitsOfTest(organizationId: string, recipients: string[]): TestLimit[] {
  const organization =
    { key: `organization ${organizationId}`, max: TESTS_PER_ORGANIZATION, needed: recipients.length };
  const needed = new Map<string, number>();
  for (const one of recipients) needed.set(mailboxOf(one), (needed.get(mailboxOf(one)) ?? 0) + 1);
  const mailboxes = [...needed].map(([mailbox, count]) => {
    return { key: `recipient ${mailbox}`, max: TESTS_PER_RECIPIENT, needed: count };
  });
  return [organization, ...mailboxes];
}

/** When enough places will be free again, Unix ms. `expiries` are the ends of the occupied ones. */
export function freeAgainAt({ max, needed }: TestLimit, expiries: number[], now: number): number {
  const missing = needed - (max - expiries.length);
  const sorted = [...expiries].sort((a, b) => a - b);
  return sorted[Math.min(missing, sorted.length) - 1] ?? now + TEST_WINDOW_MS;
}
