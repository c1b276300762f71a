import type { Tenant } from '../access/tenant.ts';
import { AppError, notFound } from '../errors/app-error.ts';
import type { ProjectContext } from '../http/routing/route.ts';
import type { MonitorDoc } from '../monitors/monitor.ts';
import type { FairQueue } from '../work/fair-queue.ts';
import type { DiagnosisDoc, DiagnosisSummary } from './diagnosis.ts';
import type { DiagnosisStore } from './store.ts';

export interface DiagnosisDeps {
  diagnoses: Pick<DiagnosisStore, 'find' | 'latest'>;
  incidents: {
    /** Null if it does not exist or belongs to another tenant. */
    find(tenant: Tenant, id: string): Promise<{ diagnosis?: DiagnosisSummary } | null>;
  };
  monitors: {
    /** Throws MONITOR_NOT_FOUND. */
    load(ctx: ProjectContext, id: string): Promise<MonitorDoc>;
  };
  /** Queue for requested diagnoses; organizations take turns. */
  requests: Pick<FairQueue, 'run'>;
  /** Examines the target now; null if that takes too long. */
  diagnose(monitor: MonitorDoc): Promise<DiagnosisDoc | null>;
}

/** Throws RESOURCE_NOT_FOUND if the incident does not exist or has no diagnosis. */
export async function readDiagnosis(
  { diagnoses, incidents }: DiagnosisDeps, { tenant }: ProjectContext, incidentId: string,
): Promise<DiagnosisDoc> {
  const incident = await incidents.find(tenant, incidentId);
  if (incident === null) throw notFound('Incident');
  const found = incident.diagnosis ? await diagnoses.find(tenant, incident.diagnosis.id) : null;
  if (found === null) throw notFound('Diagnosis');
  return found;
}

/**
 * The diagnosis of the last ten minutes, otherwise a new one. Throws MONITOR_NOT_FOUND, VALIDATION_FAILED,
 * and RATE_LIMIT_EXCEEDED or SERVICE_UNAVAILABLE while too many targets are being examined.
 */
export async function diagnoseNow(
  deps: DiagnosisDeps, ctx: ProjectContext, id: string,
): Promise<DiagnosisDoc> {
  const monitor = await deps.monitors.load(ctx, id);
  if (monitor.type === 'HEARTBEAT') {
    throw new AppError('VALIDATION_FAILED', 'HEARTBEAT monitors have no target to examine');
  }
  const found = await deps.diagnoses.latest(ctx.tenant, id, ctx.now)
    ?? await deps.requests.run(ctx.tenant.organizationId, () => deps.diagnose(monitor));
  if (found === null) throw new AppError('SERVICE_UNAVAILABLE', 'Too many targets are being examined; try again in a moment');
  return found;
}
