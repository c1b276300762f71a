import type { WorkClaim } from '../../work/claimed-work.ts';

/** A document of `status_page_domains`: a domain that DNS has assigned to a page. Instants are Unix ms. */
export interface PageDomainDoc {
  /** The domain, in lower case. */
  _id: string;
  organization_id: string;
  project_id: string;
  page_id: string;
  /** The page's subdomain, which never changes. */
  subdomain: string;
  /** When DNS is checked again. */
  due_at: number;
  /** Of the controller that is checking DNS. */
  claim?: WorkClaim;
  /** When DNS checks began to fail; null while they succeed. */
  failing_since: number | null;
}

/** A DNS response; `problem` if there was none. Values have no trailing dots. */
export interface DnsResponse {
  values: string[];
  problem: string | null;
}

/** Queues organizations fairly. */
export type LookUpRecords = (organizationId: string, name: string, type: 'CNAME' | 'TXT') => Promise<DnsResponse>;
