import type { z } from 'zod';
import type { deliveryView, health, sampleResponse } from './responses.ts';
import type { DestinationDoc } from './destination.ts';

export interface UrlVetting {
  /**
   * Why a stranger's address may not be saved, worded to follow the name of its field; null when it may.
   * Callers take turns.
   */
  urlRefusal(url: string, caller: string): Promise<string | null>;
  /**
   * The same for a destination, with the setting that would allow it. `isSecret`: the address must not travel
   * unencrypted.
   */
  destinationRefusal(url: string, isSecret: boolean, caller: string): Promise<string | null>;
}

export type SampleOutcome = z.infer<typeof sampleResponse>;

type HealthView = z.infer<typeof health>;

/** Recent deliveries of a destination. Instants are Unix ms. */
export interface DestinationHealth
  extends Omit<HealthView, 'failing_since' | 'last_delivered_at' | 'suppressed_recipients'> {
  failing_since: number | null;
  last_delivered_at: number | null;
}

/** Whose owners have stopped the alert mails of an organization. */
export interface StoppedAddresses {
  /** Those of the addresses. */
  stoppedOf(organizationId: string, addresses: string[]): Promise<string[]>;
}

/** One alert on its way to a destination. Instants are Unix ms. */
export interface DestinationDelivery
  extends Omit<z.infer<typeof deliveryView>, 'id' | 'event' | 'delivered_at' | 'last_retry_at' | 'created_at'> {
  _id: string;
  alert: { event: string };
  delivered_at: number | null;
  last_retry_at: number | null;
  created_at: number;
}

/** What destinations need of deliveries. */
export interface DeliveryPort {
  /**
   * Sends a sample at once, except to the mail addresses in `stopped`: one attempt, nothing in the log. Never
   * rejects because of the receiver.
   */
  sendSample(destination: DestinationDoc, stopped: string[]): Promise<SampleOutcome>;
  /** By destination id; leaves out destinations that were never used. */
  health(ids: string[]): Promise<Map<string, DestinationHealth>>;
  /** The newest deliveries to a destination, newest first. */
  newest(id: string, limit: number): Promise<DestinationDelivery[]>;
  /** The settings changed or the destination was disabled, so its failures no longer count. */
  destinationChanged(id: string): Promise<void>;
  /** The destination was deleted: its pending deliveries end as failed. */
  destinationDeleted(id: string): Promise<void>;
}
