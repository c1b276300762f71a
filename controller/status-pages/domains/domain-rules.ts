import type { DnsAnswer, PageDomainDoc } from './page-domain.ts';

const HOUR_MS = 3_600_000;
const AGAIN_AFTER_MS = 6 * HOUR_MS;
/** A page keeps its domain this long without proof, so that an outage of its name servers costs nothing. */
export const LOST_AFTER_MS = 72 * HOUR_MS;

/** What this installation is called itself. */
export interface OwnNames {
  /** Pages are below it; null: only below `/status`. */
  pageDomain: string | null;
  /** The host of the API. */
  baseHost: string | null;
}

export interface DomainRecord {
  type: 'CNAME' | 'TXT';
  name: string;
  value: string;
}

type Claimed = Pick<PageDomainDoc, '_id' | 'page_id' | 'subdomain'>;

/** Records of which any one proves that the owner of the domain wants this page there. */
export function provingRecords({ _id: domain, page_id, subdomain }: Claimed, own: OwnNames): DomainRecord[] {
  const text = { type: 'TXT', name: `_farwatch.${domain}`, value: `farwatch-page=${page_id}` } as const;
  if (own.pageDomain === null) return [text];
  return [{ type: 'CNAME', name: domain, value: `${subdomain}.${own.pageDomain}` }, text];
}

/** Whether one of the records is among the answers to questions for each; else why not. */
export function judge(records: readonly DomainRecord[], answers: readonly DnsAnswer[]): string | null {
  const isThere = records.some(({ type, value }, at) => answers[at]?.values
    .some((found) => (type === 'CNAME' ? found.toLowerCase().replace(/\.$/, '') : found.trim()) === value));
  if (isThere) return null;
  const unanswered = answers.find(({ problem }) => problem !== null)?.problem;
  return unanswered ?? `DNS has none of these records: ${
    records.map(({ type, name, value }) => `${name} ${type} ${value}`).join(', or ')}`;
}

/** Whether a domain is, or is below, a name of this installation. */
export function isOurs(domain: string, { pageDomain, baseHost }: OwnNames): boolean {
  return domain === baseHost || domain === pageDomain ||
    (pageDomain !== null && domain.endsWith(`.${pageDomain}`));
}

/** What becomes of a domain that was asked about at `now`: null, it is lost. */
export function afterCheck(
  { failing_since }: Pick<PageDomainDoc, 'failing_since'>, isProven: boolean, now: number,
): Pick<PageDomainDoc, 'due_at' | 'failing_since'> | null {
  if (isProven) return { due_at: now + AGAIN_AFTER_MS, failing_since: null };
  const since = failing_since ?? now;
  return now - since >= LOST_AFTER_MS ? null : { due_at: now + HOUR_MS, failing_since: since };
}
