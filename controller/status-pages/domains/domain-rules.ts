import type { DnsResponse, PageDomainDoc } from './page-domain.ts';

const HOUR_MS = 3_600_000;
const RECHECK_INTERVAL_MS = 6 * HOUR_MS;
/** How long a page keeps its domain without proof, so that an outage of its name servers has no effect. */
export const LOSS_GRACE_MS = 72 * HOUR_MS;

/** Names of this installation itself. */
export interface InstallationNames {
  /** Parent domain of the pages; null: pages are only reachable under `/status`. */
  pageDomain: string | null;
  /** Host of the API. */
  baseHost: string | null;
}

export interface DomainRecord {
  type: 'CNAME' | 'TXT';
  name: string;
  value: string;
}

type AssignedDomain = Pick<PageDomainDoc, '_id' | 'page_id' | 'subdomain'>;

/** DNS records, any one of which proves that the domain's owner assigned it to this page. */
export function proofRecords(
  { _id: domain, page_id, subdomain }: AssignedDomain, own: InstallationNames,
): DomainRecord[] {
  const text = { type: 'TXT', name: `_farwatch.${domain}`, value: `farwatch-page=${page_id}` } as const;
  if (own.pageDomain === null) return [text];
  return [{ type: 'CNAME', name: domain, value: `${subdomain}.${own.pageDomain}` }, text];
}

/** Null if a response contains its record; otherwise why not. `responses` are in the order of `records`. */
export function findProofProblem(
  records: readonly DomainRecord[], responses: readonly DnsResponse[],
): string | null {
  const isFound = records.some(({ type, value }, at) => responses[at]?.values
    .some((found) => (type === 'CNAME' ? found.toLowerCase().replace(/\.$/, '') : found.trim()) === value));
  if (isFound) return null;
  const lookupProblem = responses.find(({ problem }) => problem !== null)?.problem;
  return lookupProblem ?? `DNS has none of these records: ${
    records.map(({ type, name, value }) => `${name} ${type} ${value}`).join(', or ')}`;
}

/** Whether a domain is a name of this installation or below one. */
export function isInstallationDomain(domain: string, { pageDomain, baseHost }: InstallationNames): boolean {
  return domain === baseHost || domain === pageDomain ||
    (pageDomain !== null && domain.endsWith(`.${pageDomain}`));
}

/** The domain's state after a DNS check at `now`; null if the page loses it. */
export function afterCheck(
  { failing_since }: Pick<PageDomainDoc, 'failing_since'>, isProven: boolean, now: number,
): Pick<PageDomainDoc, 'due_at' | 'failing_since'> | null {
  if (isProven) return { due_at: now + RECHECK_INTERVAL_MS, failing_since: null };
  const since = failing_since ?? now;
  return now - since >= LOSS_GRACE_MS ? null : { due_at: now + HOUR_MS, failing_since: since };
}
