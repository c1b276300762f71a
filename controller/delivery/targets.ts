import type { Tenant } from '../accounts/tenant.ts';
import type { DestinationDoc } from '../destinations/destination.ts';
import { newSigningSecret } from '../destinations/signing-secret.ts';
import type { Target, TargetReader } from './ports.ts';

/** What the delivery reads of the destinations. */
export interface DestinationSource {
  named(tenant: Tenant, ids: string[]): Promise<DestinationDoc[]>;
  defaults(tenant: Tenant): Promise<DestinationDoc[]>;
  findById(id: string): Promise<DestinationDoc | null>;
  ensureSecret(id: string, candidate: string): Promise<string | null>;
}

/** Destinations as the sending sees them; each call reads anew, so that a change counts from the next try on. */
export function targetReader(source: DestinationSource): TargetReader {
  return {
    named: async (tenant, ids) => (await source.named(tenant, ids)).map(toTarget),
    defaults: async (tenant) => (await source.defaults(tenant)).map(toTarget),
    current: async (id) => {
      const doc = await source.findById(id);
      return doc && toTarget(doc);
    },
    secret: (id) => source.ensureSecret(id, newSigningSecret()),
  };
}

export function toTarget(doc: DestinationDoc): Target {
  const { _id, organization_id, project_id, name, enabled, events, secret } = doc;
  const fields = { id: _id, name, organizationId: organization_id, projectId: project_id, enabled, events, secret };
  switch (doc.type) {
    case 'webhook': return { ...fields, type: doc.type, config: doc.config };
    case 'email': return { ...fields, type: doc.type, config: doc.config };
    case 'slack': return { ...fields, type: doc.type, config: doc.config };
  }
}
