import { mailboxOf } from './email-rules.ts';

/** Test mails to one address in any hour, whoever sends them. */
export const TESTS_PER_RECIPIENT = 3;
/** Test mails of one organization in any hour. */
export const TESTS_PER_ORGANIZATION = 30;
export const TEST_WINDOW_MS = 3_600_000;

/** What takes up a place for an hour with each test mail: an address, or an organization. */
export interface TestLimit {
  key: string;
  /** Places in all. */
  max: number;
  /** Places that this test needs. */
  needed: number;
}

/** The limits that a test mail to these addresses falls under. */
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

/** When enough of the taken places are free again, Unix ms; `expiries` are their ends. */
export function freeAgainAt({ max, needed }: TestLimit, expiries: number[], now: number): number {
  const missing = needed - (max - expiries.length);
  const sorted = [...expiries].sort((a, b) => a - b);
  return sorted[Math.min(missing, sorted.length) - 1] ?? now + TEST_WINDOW_MS;
}
