import type { Db } from 'mongodb';
import { DocumentsById } from '../../platform/mongo/documents.ts';
import { newKeyRing, parseKeyRing, type KeyRing } from './key-ring.ts';

interface KeyRingDoc {
  _id: string;
  /** JSON of a JWK set with private keys. */
  jwks: string;
}

const SESSIONS = 'sessions';

/** Collection `key_rings`: signing keys shared by all controllers, unless they are set in the environment. */
export class KeyRingStore extends DocumentsById<KeyRingDoc> {
  constructor(db: Db) {
    super(db, 'key_rings');
  }

  /** Loads the installation's key ring. Only one of several controllers that start at once creates it. */
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
