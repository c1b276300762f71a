import type { IndexDescription } from 'mongodb';

/** Documents of one collection, one after the other, each as BSON. */
export interface Batch {
  collection: string;
  documents: Buffer[];
}

/** All documents of an installation, as they were at one moment. */
export interface Documents {
  readonly collections: readonly StoredCollection[];
  /** Batches of about a megabyte, those of a collection one after the other. */
  batches(): AsyncIterable<Batch>;
}

export interface StoredCollection {
  name: string;
  /** Besides that of `_id`. */
  indexes: IndexDescription[];
}

/** Number of documents, by collection. */
export type Counts = Map<string, number>;

const MAX_BATCH_BYTES = 1_048_576;

/** Groups the documents of a collection. A document larger than a batch should be is a batch by itself. */
export function* inBatches(collection: string, documents: Iterable<Buffer>): Generator<Batch> {
  let batch: Buffer[] = [];
  let bytes = 0;
  for (const document of documents) {
    if (batch.length > 0 && bytes + document.length > MAX_BATCH_BYTES) {
      yield { collection, documents: batch };
      batch = [];
      bytes = 0;
    }
    batch.push(document);
    bytes += document.length;
  }
  if (batch.length > 0) yield { collection, documents: batch };
}

export function countBatch(counts: Counts, { collection, documents }: Batch): void {
  counts.set(collection, (counts.get(collection) ?? 0) + documents.length);
}

/** Why a command did nothing, for the person who gave it. The command exits with code 2. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
}
