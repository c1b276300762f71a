import type { Db } from 'mongodb';
import { ControllerKeys, newControllerSeeds, type ControllerSeeds } from '../platform/bus/nkeys.ts';
import { Documents } from '../platform/mongo/documents.ts';
import { unlessTaken } from '../platform/mongo/mongo-errors.ts';

interface KeysDoc extends ControllerSeeds {
  _id: 'controller_keys';
  created_at: number;
}

/** The controllers' keys in collection `settings`, created by the first controller of an installation. */
export class KeyStore extends Documents<KeysDoc> {
  constructor(db: Db) {
    super(db, 'settings');
  }

  async loadOrCreate(now: number): Promise<ControllerKeys> {
    const id = { _id: 'controller_keys' } as const;
    const fields = { created_at: now, ...newControllerSeeds() };
    // Two concurrent first starts both upsert. The loser's write matches the winner's or hits a duplicate
    // key.
    await unlessTaken(this.all.updateOne(id, { $setOnInsert: fields }, { upsert: true }));
    const stored = await this.findOne(id);
    if (!stored) throw new Error('the controller keys vanished from the database');
    return new ControllerKeys(stored);
  }
}
