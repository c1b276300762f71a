import { subjects } from '../../shared/contracts/subjects.ts';
import type { Bus } from '../platform/bus/bus-port.ts';
import type { FreshResult } from './state/entry-step.ts';

/** Those that may read a project's raw results. */
export interface RawReaders {
  has(organizationId: string, projectId: string): boolean;
}

/** Publishes journaled results to readers of raw results. The stream RAW keeps the last hour. */
export function publishRaw(bus: Bus, readers: readonly RawReaders[], fresh: FreshResult[]): void {
  if (!bus.isConnected) return;
  for (const source of fresh) {
    const { config, region } = source;
    const { organization_id: organizationId, project_id: projectId, monitor_id: monitorId } = config;
    if (!readers.some((each) => each.has(organizationId, projectId))) continue;
    const subject = subjects.raw(organizationId, projectId, monitorId, region);
    bus.publish(subject, JSON.stringify(rawResult(source)));
  }
}

/** The probe's result with the fields of its subject. Never contains request headers or bodies. */
export function rawResult(
  { config, region, probe_id, epoch, engine, late, received_at, result }: FreshResult,
): Record<string, unknown> {
  const { seq, monitor_id, missed, detail, ...rest } = result;
  return {
    v: 1, probe_id, epoch, seq, monitor_id, organization_id: config.organization_id,
    project_id: config.project_id, region, type: config.type, engine, late, received_at,
    ...rest, ...(missed ? { missed } : {}), detail: detail ?? {},
  };
}
