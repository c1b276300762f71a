import type { WorkClaim } from '../../../shared/work-claims.ts';

/** A document of `status_page_domains`: a domain that DNS has assigned to a page. Instants are Unix ms. */
export interface PageDomainDoc {
  /** The domain, in lower case. */
  _id: string;
  organization_id: string;
  project_id: string;
  page_id: string;
  /** Of the page; a page never changes it. */
  subdomain: string;
  /** When DNS is asked again. */
  due_at: number;
  /** Of the controller that asks now. */
  claim?: WorkClaim;
  /** Since when DNS no longer says so; null while it does. */
  failing_since: number | null;
}

/** What a name server says; `problem` if it said nothing. Values without dots at their ends. */
export interface DnsResponse {
  values: string[];
  problem: string | null;
}

/** Organizations take turns. */
export type LookUpRecords = (organizationId: string, name: string, type: 'CNAME' | 'TXT') => Promise<DnsResponse>;
