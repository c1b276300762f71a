import type { Tenant } from '../accounts/tenant.ts';
import type { DestinationDoc } from '../destinations/destination.ts';
import type { RegionName } from './delivery.ts';

/** What deliveries need of destinations. Each call reads again, so that changes apply at once. */
export interface DestinationReader {
  /** Those of `ids` that belong to the project. */
  named(tenant: Tenant, ids: string[]): Promise<DestinationDoc[]>;
  /** Those that receive the alerts of monitors that name no destination. */
  defaults(tenant: Tenant): Promise<DestinationDoc[]>;
  /** Those of all projects of an organization. */
  ofOrganization(organizationId: string): Promise<DestinationDoc[]>;
  /** Null once it was deleted. */
  findById(id: string): Promise<DestinationDoc | null>;
  /** The stored secret; `candidate` becomes it when there is none. Null once the destination was deleted. */
  ensureSecret(id: string, candidate: string): Promise<string | null>;
}

/** Who has stopped alert mails. */
export interface Suppressions {
  isStopped(organizationId: string, address: string): Promise<boolean>;
}

/** What deliveries need of probes. */
export interface RegionNaming {
  /** The names of `ids`, in the same order; a region that is gone is named by its id. */
  named(ids: string[]): RegionName[];
}
