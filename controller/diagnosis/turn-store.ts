import type { Db } from 'mongodb';
import { ownedBy, type Tenant } from '../access/tenant.ts';
import { Documents } from '../platform/mongo/documents.ts';
import { DIAGNOSIS_INTERVAL_MS } from './store.ts';

/** A document of `diagnosis_turns`. Its id is that of a monitor. */
interface TurnDoc {
  _id: string;
  organization_id: string;
  project_id: string;
  /** When an examination of the monitor's target was last requested, Unix ms. */
  at: number;
}

/** Collection `diagnosis_turns`: whichever controller takes a turn examines the target. */
export class DiagnosisTurnStore extends Documents<TurnDoc> {
  constructor(db: Db) {
    // Removes old turns.
    super(db, 'diagnosis_turns', [{ key: { organization_id: 1, project_id: 1, at: 1 }, name: 'by_time' }]);
  }

  /** False if one was taken within `intervalMs` before `at`, Unix ms. */
  async take(
    tenant: Tenant, monitorId: string, at: number, intervalMs = DIAGNOSIS_INTERVAL_MS,
  ): Promise<boolean> {
    const isOver = { _id: monitorId, at: { $lte: at - intervalMs } };
    return await this.update(isOver, { $set: { at } })
      || this.insertIfFree({ _id: monitorId, ...ownedBy(tenant), at });
  }

  /** Gives back the turn taken at `at`, so that the next failure of the monitor gets one. */
  async giveBack(monitorId: string, at: number): Promise<void> {
    await this.remove({ _id: monitorId, at });
  }

  /** Removes the organization's turns from before `before`, Unix ms. */
  async removeOlder(organizationId: string, before: number): Promise<void> {
    await this.all.deleteMany({ organization_id: organizationId, at: { $lt: before } });
  }
}
