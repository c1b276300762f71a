import type { Db } from 'mongodb';
import { DocumentsById } from '../platform/mongo/documents.ts';

/** The only document of `data_keys`. */
export interface DataKeyDoc {
  _id: string;
  /** The key of the stored secrets, sealed. */
  sealed: string;
  /** Where the key comes from that opens it. */
  sealed_by: 'SECRETS_KEY' | 'key_ring';
}

/** Collection `data_keys`: the key with which all controllers encrypt secrets in the database. */
export class DataKeyStore extends DocumentsById<DataKeyDoc> {
  constructor(db: Db) {
    super(db, 'data_keys');
  }

  /** False if it has changed since `seen` was read. */
  replace({ _id, sealed }: DataKeyDoc, by: Omit<DataKeyDoc, '_id'>): Promise<boolean> {
    return this.update({ _id, sealed }, { $set: by });
  }
}
