import type { Tenant } from '../access/tenant.ts';
import type { RegionName } from '../destinations/channels/alert.ts';
import type { CauseDoc } from '../causes/cause.ts';
import type { DestinationDoc } from '../destinations/destination.ts';

/** What this folder needs from destinations. Nothing is cached, so changes apply immediately. */
export interface DestinationReader {
  /** Those of `ids` that belong to the project. */
  named(tenant: Tenant, ids: string[]): Promise<DestinationDoc[]>;
  /** Those that receive the alerts of monitors without their own destinations. */
  defaults(tenant: Tenant): Promise<DestinationDoc[]>;
  /** Across all projects of the organization. */
  ofOrganization(organizationId: string): Promise<DestinationDoc[]>;
  /** Null if it was deleted. */
  findById(id: string): Promise<DestinationDoc | null>;
  /**
   * Returns the stored secret, or stores `candidate` if there is none. Null if the destination was deleted.
   */
  ensureSecret(id: string, candidate: string): Promise<string | null>;
}

export interface CauseReader {
  /** Null if it was removed. */
  find(id: string): Promise<CauseDoc | null>;
  /** What people in the project call its value. */
  nameOf(cause: Pick<CauseDoc, 'kind' | 'value'>, tenant: Tenant): Promise<string>;
}

export interface Suppressions {
  /** Whether the recipient stopped the organization's alert mails. */
  isStopped(organizationId: string, address: string): Promise<boolean>;
}

export interface RegionNaming {
  /** In the order of `ids`. A deleted region has its id as its name. */
  named(ids: string[]): RegionName[];
}
