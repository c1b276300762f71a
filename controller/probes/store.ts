import type { Db } from 'mongodb';
import { Documents, restoring } from '../platform/mongo/documents.ts';
import type { EnrolledProbe, PreviousQuarantine, ProbeDoc, Quarantine } from './probe.ts';
import type { ProbeChange } from './schema.ts';

/** The fields that enrolment sets. */
export type EnrolledIdentity =
  Pick<EnrolledProbe, 'public_key' | 'box_key' | 'version' | 'capabilities' | 'addresses'>;

export interface BeatNote {
  probeId: string;
  isOnline: boolean;
  lastBeatAt: number | null;
  version: string | null;
  capabilities: string[];
}

/** A probe's keys: its NATS user (U…), and the key that assignments are sealed to (X…). */
export type ProbeKeys = Pick<EnrolledProbe, 'public_key' | 'box_key'>;

const NO_NEXT_KEYS = { next_public_key: '', next_box_key: '' } as const;

function keysSince(now: number) {
  return { keys_changed_at: now, rotation_asked_at: null };
}

/** Collection `probes`. Names are unique within a region; a second one is a duplicate key. */
export class ProbeStore extends Documents<ProbeDoc> {
  constructor(db: Db) {
    super(db, 'probes', [
      // Lists a region's probes, with unique names.
      { key: { region_id: 1, name: 1 }, name: 'name_in_region', unique: true },
      // Enrolment looks up a token by its hash.
      { key: { token_hash: 1 }, name: 'token', unique: true, sparse: true },
      { key: { used_token_hash: 1 }, name: 'used_token', sparse: true },
      // Lists and counts the probes that an organization may see.
      { key: { organization_id: 1, removed_at: 1 }, name: 'by_organization' },
      // Two probes never share one NATS identity.
      { key: { public_key: 1 }, name: 'identity', unique: true, sparse: true },
      { key: { next_public_key: 1 }, name: 'next_identity', unique: true, sparse: true },
    ], restoring<ProbeDoc>({
      organization_id: null, enrolled_at: null, version: null, provider: null, asn: null, removed_at: null,
      last_beat_at: null, rotation_asked_at: null, keys_changed_at: null, quarantine: null,
      notified_offline: null, notified_quarantine: null,
    }));
  }

  /** Null also for a deleted probe. */
  find(id: string): Promise<ProbeDoc | null> {
    return this.findOne({ _id: id, removed_at: null });
  }

  findByName(regionId: string, name: string): Promise<ProbeDoc | null> {
    return this.findOne({ region_id: regionId, name, removed_at: null });
  }

  /** All probes in order of id, including deleted ones whose monitors still have to move. */
  list(): Promise<ProbeDoc[]> {
    return this.select({}).sort({ _id: 1 }).toArray();
  }

  /** The organization's probes and the shared ones. */
  visibleTo(organizationId: string): Promise<ProbeDoc[]> {
    const owners = { $in: [null, organizationId] };
    return this.select({ organization_id: owners, removed_at: null }).sort({ _id: 1 }).toArray();
  }

  countOfOrganization(organizationId: string): Promise<number> {
    return this.count({ organization_id: organizationId, removed_at: null });
  }

  ofRegion(regionId: string): Promise<ProbeDoc[]> {
    return this.select({ region_id: regionId, removed_at: null }).toArray();
  }

  findByToken(hash: string): Promise<ProbeDoc | null> {
    return this.findOne({ token_hash: hash, removed_at: null });
  }

  /** The probe that uses, or has offered, this user key. */
  findByUserKey(publicKey: string): Promise<ProbeDoc | null> {
    const isUserKey = { $or: [{ public_key: publicKey }, { next_public_key: publicKey }] };
    return this.findOne({ ...isUserKey, removed_at: null });
  }

  findByUsedToken(hash: string): Promise<ProbeDoc | null> {
    return this.findOne({ used_token_hash: hash, removed_at: null });
  }

  /** Replaces the probe's enrolment token. Its current identity stays until it enrols. */
  async offerToken(id: string, hash: string, expiresAt: number): Promise<void> {
    await this.update({ _id: id }, { $set: { token_hash: hash, token_expires_at: expiresAt } });
  }

  /**
   * Uses up the token and replaces the probe's identity. Of two concurrent requests, one gets the probe. Null
   * if the token is used, expired or unknown.
   */
  claim(hash: string, identity: EnrolledIdentity, now: number): Promise<ProbeDoc | null> {
    return this.change({ token_hash: hash, token_expires_at: { $gt: now }, removed_at: null }, {
      $set: { ...identity, used_token_hash: hash, enrolled_at: now, ...keysSince(now) },
      $unset: { ...NO_NEXT_KEYS, token_hash: '', token_expires_at: '' },
    });
  }

  /** Requests a key rotation. Null if the probe no longer exists or is not enrolled. */
  requestRotation(id: string, now: number): Promise<ProbeDoc | null> {
    const enrolled = { _id: id, removed_at: null, public_key: { $exists: true } };
    return this.change(enrolled, { $set: { rotation_asked_at: now } });
  }

  /**
   * Adds `next` to the keys of the probe with the current key `currentKey`. Null if that key is no longer
   * being replaced. Rejects with a duplicate key if another probe has offered the same.
   */
  offerKeys(id: string, currentKey: string, next: ProbeKeys): Promise<ProbeDoc | null> {
    const rotating = { _id: id, removed_at: null, public_key: currentKey, rotation_asked_at: { $ne: null } };
    return this.change(rotating, { $set: { next_public_key: next.public_key, next_box_key: next.box_key } });
  }

  /** Replaces the current keys by the offered ones. Null if that is done, or other keys were offered. */
  adoptKeys(id: string, currentKey: string, next: ProbeKeys, now: number): Promise<ProbeDoc | null> {
    const offered = { _id: id, removed_at: null, public_key: currentKey, next_public_key: next.public_key };
    return this.change(offered, { $set: { ...next, ...keysSince(now) }, $unset: NO_NEXT_KEYS });
  }

  /** Whether a probe uses, or has offered, this user key. */
  async isKeyTaken(publicKey: string): Promise<boolean> {
    return (await this.count({ $or: [{ public_key: publicKey }, { next_public_key: publicKey }] })) > 0;
  }

  /**
   * The probe after the change; null if it no longer exists. Rejects with a duplicate key for a taken name.
   */
  edit(id: string, change: ProbeChange): Promise<ProbeDoc | null> {
    const fields = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
    if (Object.keys(fields).length === 0) return this.find(id);
    return this.change({ _id: id, removed_at: null }, { $set: fields });
  }

  /** False if the probe is already quarantined or no longer exists. */
  enterQuarantine(id: string, quarantine: Quarantine): Promise<boolean> {
    return this.update({ _id: id, removed_at: null, quarantine: null }, { $set: { quarantine } });
  }

  /** Stores the current problem; no effect if that quarantine has ended. */
  async confirmQuarantine(id: string, quarantine: Quarantine): Promise<void> {
    await this.update({ _id: id, 'quarantine.since': quarantine.since }, { $set: { quarantine } });
  }

  /** False if the quarantine that began at `since` has already ended. */
  leaveQuarantine(id: string, since: number, before: PreviousQuarantine): Promise<boolean> {
    const change = { $set: { quarantine: null, quarantined_before: before } };
    return this.update({ _id: id, 'quarantine.since': since }, change);
  }

  /** Records the latest notices to the probe's operator. */
  async recordNotified(
    id: string, notified: Partial<Pick<ProbeDoc, 'notified_offline' | 'notified_quarantine'>>,
  ): Promise<void> {
    await this.update({ _id: id, removed_at: null }, { $set: notified });
  }

  /**
   * Removes identity, token and name. The rest stays until its monitors have moved. False if it no longer
   * exists.
   */
  markRemoved(id: string, now: number): Promise<boolean> {
    return this.update({ _id: id, removed_at: null }, {
      $set: { removed_at: now, name: id, is_online: false },
      $unset: {
        ...NO_NEXT_KEYS, public_key: '', box_key: '', token_hash: '', token_expires_at: '', used_token_hash: '',
      },
    });
  }

  async purge(id: string): Promise<void> {
    await this.remove({ _id: id, removed_at: { $ne: null } });
  }

  /** Several controllers record the same beats; the latest time wins. */
  async noteBeats(notes: BeatNote[]): Promise<void> {
    const writes = notes.map((note) => ({
      updateOne: {
        filter: { _id: note.probeId, removed_at: null },
        update: {
          $set: {
            is_online: note.isOnline,
            ...(note.version === null ? {} : { version: note.version, capabilities: note.capabilities }),
          },
          ...(note.lastBeatAt === null ? {} : { $max: { last_beat_at: note.lastBeatAt } }),
        },
      },
    }));
    await this.all.bulkWrite(writes, { ordered: false });
  }
}
