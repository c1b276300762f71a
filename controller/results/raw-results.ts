import { subjects } from '../../shared/contracts/subjects.ts';
import type { Bus } from '../platform/bus/bus-port.ts';
import type { FreshResult } from './state/entry-step.ts';

/** Whether a project's raw results have readers. */
export type HasRawReaders = (organizationId: string, projectId: string) => boolean;

/** Publishes journaled results to readers of raw results. The stream RAW keeps the last hour. */
export function publishRaw(bus: Bus, hasRawReaders: HasRawReaders, fresh: FreshResult[]): void {
  if (!bus.isConnected) return;
  for (const source of fresh) {
    const { config, region } = source;
    if (!hasRawReaders(config.organization_id, config.project_id)) continue;
    bus.publish(
      subjects.raw(config.organization_id, config.project_id, config.monitor_id, region),
      JSON.stringify(rawResult(source)),
    );
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
