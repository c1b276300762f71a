import type { Db } from 'mongodb';
import type { Examination } from '../../shared/contracts/examination.ts';
import { ownedBy, type Tenant } from '../access/tenant.ts';
import { Documents, each, restoring } from '../platform/mongo/documents.ts';
import { summaryOf, type DiagnosisDoc, type DiagnosisSummary, type RegionExamination } from './diagnosis.ts';

/** A target is examined at most once in this time; incidents meanwhile share the diagnosis. */
export const DIAGNOSIS_INTERVAL_MS = 600_000;
/** Maximum diagnoses of other monitors compared with one. */
const MAX_COMPARED = 200;

/** Collection `diagnoses`. */
export class DiagnosisStore extends Documents<DiagnosisDoc> {
  constructor(db: Db) {
    super(db, 'diagnoses', [
      // The latest diagnosis of a monitor.
      { key: { monitor_id: 1, diagnosed_at: -1 }, name: 'of_monitor' },
      // The latest diagnoses of all monitors.
      { key: { diagnosed_at: 1 }, name: 'by_time' },
      // Diagnoses at about the same time, and what retention removes.
      { key: { organization_id: 1, project_id: 1, failed_at: 1 }, name: 'by_failure' },
    ], restoring<DiagnosisDoc>({}, { regions: each(restoreRegion) }));
  }

  /** Null if it does not exist or belongs to another tenant. */
  find(tenant: Tenant, id: string): Promise<DiagnosisDoc | null> {
    return this.findOne({ _id: id, ...ownedBy(tenant) });
  }

  /** The diagnosis that the monitor got within the last ten minutes before `now`, Unix ms. */
  async latest(tenant: Tenant, monitorId: string, now: number): Promise<DiagnosisDoc | null> {
    const recent = { $gt: now - DIAGNOSIS_INTERVAL_MS };
    const newest = this.select({ monitor_id: monitorId, ...ownedBy(tenant), diagnosed_at: recent });
    return (await newest.sort({ diagnosed_at: -1 }).limit(1).toArray())[0] ?? null;
  }

  /** As `latest`, for an incident: a healthy monitor's says nothing about it. */
  async latestSummary(tenant: Tenant, monitorId: string, now: number): Promise<DiagnosisSummary | null> {
    const found = await this.latest(tenant, monitorId, now);
    return found && !found.is_healthy ? summaryOf(found) : null;
  }

  /** Those of failures, of all tenants, that were made since `since`, Unix ms, oldest first. */
  ofFailures(since: number): AsyncIterable<DiagnosisDoc> {
    const found = this.select({ diagnosed_at: { $gt: since }, is_healthy: { $exists: false } });
    return found.sort({ diagnosed_at: 1 });
  }

  /** Those of the project whose failures counted between `from` and `to`, Unix ms. */
  around(tenant: Tenant, from: number, to: number): Promise<DiagnosisDoc[]> {
    const found = this.select({ ...ownedBy(tenant), failed_at: { $gte: from, $lte: to } });
    return found.limit(MAX_COMPARED).toArray();
  }

  /** Replaces an `unknown` diagnosis. False if it was removed. */
  refine({ _id, ...rest }: DiagnosisDoc): Promise<boolean> {
    const { classification, summary, decided_by, diagnosed_at } = rest;
    const found = { classification, summary, decided_by, diagnosed_at };
    return this.update({ _id, classification: 'unknown' }, { $set: found });
  }

  /** Removes the organization's diagnoses from before `before`, Unix ms. */
  async removeOlder(organizationId: string, before: number): Promise<void> {
    await this.all.deleteMany({ organization_id: organizationId, failed_at: { $lt: before } });
  }
}

type Connection = Examination['connections'][number];

/** Restores null fields that the database omits. */
const restoreExamination = restoring<Examination>({ error: null }, {
  resolvers: each(restoring<Examination['resolvers'][number]>({ error: null })),
  path: restoring<Examination['path']>({ note: null, target: null }, {
    hops: each(restoring<Examination['path']['hops'][number]>({ address: null, rtt_ms: null })),
  }),
  connections: each(restoring<Connection>({ tls: null }, {
    tls: restoring<NonNullable<Connection['tls']>>({ valid_to: null, problem: null }),
  })),
});

function restoreRegion(region: RegionExamination): RegionExamination {
  restoreExamination(region.examination);
  return region;
}
