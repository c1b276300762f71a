import { mailboxOf } from './email-rules.ts';

/** Per address and hour, whoever sends them. */
export const TESTS_PER_RECIPIENT = 3;
/** Per organization and hour. */
export const TESTS_PER_ORGANIZATION = 30;

/** The limits of a test mail to these addresses: of each recipient's mailbox, and of the organization. */
export function limitsOfTest(organizationId: string, recipients: string[]) {
  const organization =
    { key: `organization ${organizationId}`, max: TESTS_PER_ORGANIZATION, needed: recipients.length };
  const needed = new Map<string, number>();
  for (const one of recipients) needed.set(mailboxOf(one), (needed.get(mailboxOf(one)) ?? 0) + 1);
  const mailboxes = [...needed].map(([mailbox, count]) => {
    return { key: `recipient ${mailbox}`, max: TESTS_PER_RECIPIENT, needed: count };
  });
  return [organization, ...mailboxes];
}
