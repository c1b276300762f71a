import type { Tenant } from '../accounts/tenant.ts';
import type { DestinationDoc, DestinationFields, Way } from './destination.ts';

/** Looks at where a destination would send to. */
export interface UrlVetting {
  /** Why the address may not be saved, as the end of a sentence that begins with its field's name; null when it may. */
  urlRefusal(url: string): Promise<string | null>;
  /** The same for an address that is a secret, and so must not travel in the clear. */
  secretUrlRefusal(url: string): Promise<string | null>;
}

/** What came of a sample. `refused` and `failed` carry the reason in `error_message`. */
export interface SampleOutcome {
  delivered: boolean;
  status_code: number | null;
  error_message: string | null;
  duration_ms: number | null;
}

/** How a destination has fared lately. Instants are Unix ms. */
export interface DestinationHealth {
  /** `unknown`: nothing has been sent yet. */
  status: 'unknown' | 'healthy' | 'failing';
  /** First failure since the last success. */
  failing_since: number | null;
  consecutive_failures: number;
  /** Of several recipients, those whose latest message did not arrive. */
  failing_recipients: string[];
  last_error: string | null;
  last_delivered_at: number | null;
}

/** What destinations ask of the delivery. */
export interface DeliverySide {
  /** Sends a sample at once, with one try and no entry in a log. Never rejects for what the receiver does. */
  sendSample(destination: DestinationDoc): Promise<SampleOutcome>;
  /** By id; a destination that was never used is left out. */
  health(ids: string[]): Promise<Map<string, DestinationHealth>>;
  /** Other settings, or disabled: how it fared before says nothing any more. */
  destinationChanged(id: string): Promise<void>;
  /** The destination was deleted: what is still to be sent to it ends as failed. */
  destinationGone(id: string): Promise<void>;
}

/** The collection, as the verbs use it. */
export interface DestinationRepository {
  insert(doc: DestinationDoc): Promise<void>;
  /** Null also when it belongs to somebody else. */
  find(tenant: Tenant, id: string): Promise<DestinationDoc | null>;
  /** Newest first. */
  list(tenant: Tenant): Promise<DestinationDoc[]>;
  count(tenant: Tenant): Promise<number>;
  /** Applies `change` if it still has the revision of `seen`; null when it has not, or is gone. */
  change(seen: DestinationDoc, change: DestinationChange): Promise<DestinationDoc | null>;
  /** The stored secret; `candidate` becomes it when there is none. Null when the destination is gone. */
  ensureSecret(id: string, candidate: string): Promise<string | null>;
  /** False when it is gone. */
  replaceSecret(tenant: Tenant, id: string, secret: string): Promise<boolean>;
  /** False when it is not there or somebody else's. */
  remove(tenant: Tenant, id: string): Promise<boolean>;
}

export type DestinationChange = Partial<Pick<DestinationFields, 'name' | 'enabled' | 'is_default' | 'events'>> & Pick<DestinationFields, 'updated_at'> & { config?: Way['config'] };
