import type { Db } from 'mongodb';
import { DueDocuments } from '../platform/mongo/due-documents.ts';
import { restoring } from '../platform/mongo/documents.ts';
import type { WorkClaim } from '../work/claimed-work.ts';
import type { RdapServer } from './rdap-response.ts';

/** A document is either IANA's list of RDAP servers, or the WHOIS server of one top-level domain. */
export interface SourceDoc {
  _id: string;
  /** When to query IANA again, Unix ms. */
  due_at: number;
  /** The claim of the controller that currently queries IANA. */
  claim?: WorkClaim;
  /** The last valid copy of the list; null before the first. */
  rdap: RdapServer[] | null;
  /** Null if the top-level domain has none. */
  whois: string | null;
}

const RDAP = 'rdap';
const restore = restoring<SourceDoc>({ rdap: null, whois: null });

/** Collection `domain_sources`. */
export class SourceStore extends DueDocuments<SourceDoc> {
  constructor(db: Db) {
    super(db, 'domain_sources', [], restore);
  }

  /** The list of RDAP servers, or a document without a copy before the first fetch. */
  async list(): Promise<SourceDoc> {
    const empty = { _id: RDAP, due_at: 0, rdap: null, whois: null };
    const found = await this.findOne({ _id: RDAP });
    if (found === null) await this.insertIfFree({ ...empty });
    return found ?? empty;
  }

  /** Null if IANA was never asked about the top-level domain. */
  whois(tld: string): Promise<SourceDoc | null> {
    return this.findOne({ _id: `whois:${tld}` });
  }

  async saveWhois(tld: string, whois: string | null, dueAt: number): Promise<void> {
    const change = { $set: { due_at: dueAt, whois } };
    await this.all.updateOne({ _id: `whois:${tld}` }, change, { upsert: true });
  }
}
