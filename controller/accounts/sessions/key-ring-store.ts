import type { Db } from 'mongodb';
import { DocumentsById } from '../../platform/mongo/documents.ts';
import { newKeyRing, parseKeyRing, type KeyRing } from './key-ring.ts';

interface KeyRingDoc {
  _id: string;
  /** JSON of the ring. */
  jwks: string;
}

const SESSIONS = 'sessions';

/** Collection `key_rings`: the keys that all controllers share, unless their environment gives them. */
export class KeyRingStore extends DocumentsById<KeyRingDoc> {
  constructor(db: Db) {
    super(db, 'key_rings');
  }

  /** The installation's ring. The first controller makes it; of several that start at once, one does. */
  async loadOrCreate(): Promise<KeyRing> {
    const stored = (await this.find(SESSIONS)) ?? (await this.#create());
    return parseKeyRing(stored.jwks);
  }

  async #create(): Promise<KeyRingDoc> {
    const created = { _id: SESSIONS, jwks: await newKeyRing() };
    if (await this.insertIfFree(created)) return created;
    return (await this.find(SESSIONS)) ?? this.#create();
  }
}
