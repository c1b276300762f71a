import type { DnsResponse, PageDomainDoc } from './page-domain.ts';

const HOUR_MS = 3_600_000;
const RECHECK_INTERVAL_MS = 6 * HOUR_MS;
/** A page keeps its domain this long without proof, so that an outage of its name servers costs nothing. */
export const LOSS_GRACE_MS = 72 * HOUR_MS;

/** What this installation is called itself. */
export interface InstallationNames {
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

type AssignedDomain = Pick<PageDomainDoc, '_id' | 'page_id' | 'subdomain'>;

/** Records of which any one proves that the owner of the domain wants this page there. */
export function proofRecords(
  { _id: domain, page_id, subdomain }: AssignedDomain, own: InstallationNames,
): DomainRecord[] {
  const text = { type: 'TXT', name: `_farwatch.${domain}`, value: `farwatch-page=${page_id}` } as const;
  if (own.pageDomain === null) return [text];
  return [{ type: 'CNAME', name: domain, value: `${subdomain}.${own.pageDomain}` }, text];
}

/** Whether one of the records is among the answers to questions for each; else why not. */
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

/** Whether a domain is, or is below, a name of this installation. */
export function isInstallationDomain(domain: string, { pageDomain, baseHost }: InstallationNames): boolean {
  return domain === baseHost || domain === pageDomain ||
    (pageDomain !== null && domain.endsWith(`.${pageDomain}`));
}

/** What becomes of a domain that was asked about at `now`: null, it is lost. */
export function afterCheck(
  { failing_since }: Pick<PageDomainDoc, 'failing_since'>, isProven: boolean, now: number,
): Pick<PageDomainDoc, 'due_at' | 'failing_since'> | null {
  if (isProven) return { due_at: now + RECHECK_INTERVAL_MS, failing_since: null };
  const since = failing_since ?? now;
  return now - since >= LOSS_GRACE_MS ? null : { due_at: now + HOUR_MS, failing_since: since };
}
