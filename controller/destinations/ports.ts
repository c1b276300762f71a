import type { z } from 'zod';
import type { Tenant } from '../access/tenant.ts';
import type { DestinationSettings } from './channels/registry.ts';
import type { deliveryView, health, messagePreview, sampleResponse } from './responses.ts';
import type { DestinationDoc } from './destination.ts';

export interface UrlVetting {
  /**
   * Why a user-supplied URL must not be saved, worded to follow the name of its field; null if it may.
   * Callers take turns.
   */
  urlRefusal(url: string, caller: string): Promise<string | null>;
  /**
   * Like `urlRefusal`, for a destination; the reason names the setting that would allow the URL. `isSecret`
   * means that the URL must not be sent unencrypted.
   */
  destinationRefusal(url: string, isSecret: boolean, caller: string): Promise<string | null>;
}

export type SampleOutcome = z.infer<typeof sampleResponse>;

export type MessagePreview = z.infer<typeof messagePreview>;

type HealthView = z.infer<typeof health>;

/** Health of a destination, from its recent deliveries. Instants are Unix ms. */
export interface DestinationHealth
  extends Omit<HealthView, 'failing_since' | 'last_delivered_at' | 'suppressed_recipients'> {
  failing_since: number | null;
  last_delivered_at: number | null;
}

/** Finds what filters refer to. */
export interface FilterTargets {
  /** Those of `ids` that are groups of the project. */
  groups(tenant: Tenant, ids: string[]): Promise<ReadonlyMap<string, unknown>>;
  /** Those of `ids` that are monitors of the project. */
  monitors(tenant: Tenant, ids: string[]): Promise<ReadonlyMap<string, unknown>>;
}

export interface StoppedAddresses {
  /** Returns those of `addresses` whose recipients stopped the organization's alert mails. */
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

/** What this folder needs from deliveries. */
export interface DeliveryPort {
  /**
   * Sends a test alert immediately, except to the email addresses in `stopped`, with one attempt and no log
   * entry. A failure of the receiver resolves as an outcome.
   */
  sendSample(destination: DestinationDoc, stopped: string[]): Promise<SampleOutcome>;
  /** Renders the messages for an outage and for its recovery. */
  preview(settings: DestinationSettings): MessagePreview[];
  /** By destination id. Omits destinations that were never used. */
  health(ids: string[]): Promise<Map<string, DestinationHealth>>;
  /** The newest deliveries to a destination, newest first. */
  newest(id: string, limit: number): Promise<DestinationDelivery[]>;
  /** Call when the settings changed or the destination was disabled: earlier failures no longer count. */
  destinationChanged(id: string): Promise<void>;
  /** Call when the destination was deleted: its pending deliveries fail. */
  destinationDeleted(id: string): Promise<void>;
}
