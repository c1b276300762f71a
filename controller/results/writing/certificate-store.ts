import type { Collection, Db } from 'mongodb';
import type { TlsFacts } from '../../../shared/contracts/result.ts';
import { restoring } from '../../platform/mongo/documents.ts';
import { upsertNewer } from '../../platform/mongo/mongo-errors.ts';
import type { CertificateSighting } from '../../verdicts/monitor-state.ts';

/** A document of `certificates`; `_id` is the monitor. */
interface CertificateDoc extends Omit<CertificateSighting, 'monitor_id' | 'seen_at'> {
  _id: string;
  /** Start of the check that saw it, Unix ms. */
  position: number;
}

const NULLS = { expires_at: null, valid_from: null, problem: null, weak_signature: null };

/** Restores the nulls of stored facts. */
export const restoreFacts = restoring<TlsFacts>(NULLS);

/** Collection `certificates`: the latest certificate of each monitor's target, at most 15 kB. */
export class CertificateStore {
  readonly #certificates: Collection<CertificateDoc>;

  constructor(db: Db) {
    this.#certificates = db.collection<CertificateDoc>('certificates');
  }

  /** Null before the first. */
  async find(monitorId: string): Promise<TlsFacts | null> {
    const doc = await this.#certificates.findOne({ _id: monitorId });
    return doc && restoreFacts(doc.facts);
  }

  /** Stores a sighting unless a later one is stored. */
  async save({ monitor_id: _id, seen_at: position, ...seen }: CertificateSighting): Promise<void> {
    await upsertNewer(this.#certificates, [{ _id, position, ...seen }]);
  }

  async remove(monitorIds: string[]): Promise<void> {
    await this.#certificates.deleteMany({ _id: { $in: monitorIds } });
  }
}
