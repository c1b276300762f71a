import type { AssignmentDoc } from '../../controller/assignments/assignment-doc.ts';
import type { TestApp } from './make-app.ts';
import type { Tenant } from './tenants.ts';

type Stored = Pick<AssignmentDoc, '_id' | 'probe_id' | 'monitor_id' | 'organization_id' | 'region' | 'gone'>;

/** Assigns the monitor to the probe, as a controller with background work would. */
export async function assign(
  app: TestApp, { organizationId }: Tenant, monitorId: string, probe: { id: string; region: string },
): Promise<void> {
  await app.db.collection<Stored>('assignments').insertOne({
    _id: `${probe.id}:${monitorId}`, probe_id: probe.id, monitor_id: monitorId, organization_id: organizationId,
    region: probe.region, gone: false,
  });
}
