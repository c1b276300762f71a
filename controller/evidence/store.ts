import type { Db } from 'mongodb';
import type { ResponseEvidence } from '../../shared/contracts/evidence.ts';
import type { TlsFacts } from '../../shared/contracts/result.ts';
import { ownedBy, type Tenant } from '../access/tenant.ts';
import { Documents, restoring } from '../platform/mongo/documents.ts';
import { insertMissing } from '../platform/mongo/mongo-errors.ts';
import type { EvidenceDoc } from './evidence.ts';
import type { EvidenceCandidate } from './rules.ts';

interface Span {
  /** Unix ms, both ends included. */
  from: number;
  to: number;
}

const nulls = {
  remote_address: null, status_line: null, body_excerpt: null, certificate: null, timings: null,
};
const nested = { certificate: restoring<TlsFacts>(
  { expires_at: null, valid_from: null, problem: null, weak_signature: null },
) };
const restoreResponse = restoring<ResponseEvidence>(nulls, nested);

const restoreEvidence =
  restoring<EvidenceDoc>({ ...nulls, last_good: null }, { ...nested, last_good: restoreResponse });

/** Collection `evidence`. */
export class EvidenceStore extends Documents<EvidenceDoc> {
  constructor(db: Db) {
    super(db, 'evidence', [
      // A monitor's evidence, newest first, and what retention removes.
      { key: { monitor_id: 1, checked_at: -1, _id: -1 }, name: 'of_monitor' },
    ], restoreEvidence);
  }

  /** Skips documents that already exist. */
  add(docs: EvidenceDoc[]): Promise<void> {
    return insertMissing(this.all, docs);
  }

  /** Newest first. */
  newest(tenant: Tenant, monitorId: string, limit: number, span?: Span): Promise<EvidenceDoc[]> {
    const within = span === undefined ? {} : { checked_at: { $gte: span.from, $lte: span.to } };
    const found = this.select({ monitor_id: monitorId, ...ownedBy(tenant), ...within });
    return found.sort({ checked_at: -1, _id: -1 }).limit(limit).toArray();
  }

  countOf(tenant: Tenant, monitorId: string): Promise<number> {
    return this.count({ monitor_id: monitorId, ...ownedBy(tenant) });
  }

  /** All evidence of a monitor, unordered. */
  candidates(tenant: Tenant, monitorId: string): Promise<EvidenceCandidate[]> {
    const found = this.all.find({ monitor_id: monitorId, ...ownedBy(tenant) });
    return found.project<EvidenceCandidate>({ region: 1, checked_at: 1, series: 1 }).toArray();
  }

  async removeByIds(tenant: Tenant, ids: string[]): Promise<void> {
    if (ids.length > 0) await this.all.deleteMany({ _id: { $in: ids }, ...ownedBy(tenant) });
  }

  /** Removes these monitors' evidence older than `before` (Unix ms). */
  async removeOlder(monitorIds: string[], before: number): Promise<void> {
    if (monitorIds.length === 0) return;
    await this.all.deleteMany({ monitor_id: { $in: monitorIds }, checked_at: { $lt: before } });
  }

  async removeOf(monitorIds: string[]): Promise<void> {
    if (monitorIds.length > 0) await this.all.deleteMany({ monitor_id: { $in: monitorIds } });
  }
}
