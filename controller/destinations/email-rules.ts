const MAX_LOCAL_PART_LENGTH = 64;
export const MAX_ADDRESS_LENGTH = 254;

/** RFC 5322 dot-atom: no quotes, comments, display names or lists. */
const ATOM = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+";
const LOCAL_PART = `${ATOM}(?:\\.${ATOM})*`;
const LABEL_PART = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?';
const LETTER_FIRST = '[A-Za-z](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?';
const DIGIT_FIRST = '[0-9]+(?:[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?|-[A-Za-z0-9-]*[A-Za-z0-9])';
/** For schema patterns. Matches what `addressProblem` accepts, and some addresses with overlong parts. */
export const ADDRESS = `${LOCAL_PART}@(?:${LABEL_PART}\\.)+(?:${LETTER_FIRST}|${DIGIT_FIRST})`;
const LOCAL = new RegExp(`^${LOCAL_PART}$`);
const LABEL = new RegExp(`^${LABEL_PART}$`);

/** Error message if `address` is not a single plain ASCII email address, else null. */
export function addressProblem(address: string): string | null {
  const at = address.lastIndexOf('@');
  const local = address.slice(0, at);
  const labels = address.slice(at + 1).split('.');
  const isMailbox = at > 0 && local.length <= MAX_LOCAL_PART_LENGTH && LOCAL.test(local);
  const isDomain = labels.length >= 2 && labels.every((label) => LABEL.test(label));
  const isAddress = isMailbox && isDomain && !/\.\d+$/.test(address) && address.length <= MAX_ADDRESS_LENGTH;
  if (isAddress) return null;
  return 'Must be one email address, such as ops@example.com';
}

/** Keeps the first of addresses that differ only in case, and converts domains to lower case. */
export function withoutDuplicates(addresses: string[]): string[] {
  const seen = new Map<string, string>();
  for (const address of addresses) {
    const at = address.lastIndexOf('@');
    const mailbox = address.toLowerCase();
    if (!seen.has(mailbox)) seen.set(mailbox, address.slice(0, at) + address.slice(at).toLowerCase());
  }
  return [...seen.values()];
}

/** Removes a `+tag`: most providers deliver `ada+tag@` to `ada@`, so both are the same recipient. */
export function mailboxOf(address: string): string {
  return address.toLowerCase().replace(/^([^+@]+)\+[^@]*@/, '$1@');
}

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
