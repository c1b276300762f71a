import type { Tenant } from '../accounts/tenant.ts';
import type { Way } from '../destinations/destination.ts';
import type { AlertEvent } from '../verdicts/effect.ts';
import type { AlertSnapshot, RegionName, Verdict } from './delivery.ts';

/** A destination, as much as the sending needs. */
export type Target = TargetFields & Way;

export interface TargetFields {
  id: string;
  name: string;
  organizationId: string;
  projectId: string;
  enabled: boolean;
  events: AlertEvent[];
  /** Null until it is first needed, and where nothing is signed. */
  secret: string | null;
}

/** What the delivery asks of the destinations. */
export interface TargetReader {
  /** Those of `ids` that are in the project. */
  named(tenant: Tenant, ids: string[]): Promise<Target[]>;
  /** The project's default ones. */
  defaults(tenant: Tenant): Promise<Target[]>;
  /** As it is now; null when it was deleted. */
  current(id: string): Promise<Target | null>;
  /** Makes a signing secret where there is none, and returns the one that there is; null when the destination was deleted. */
  secret(id: string): Promise<string | null>;
}

/** What the delivery tells the incidents. */
export interface NotifiedIncidents {
  /** A notification of the incident has reached its receiver. */
  markNotified(incidentId: string, channel: string): Promise<void>;
}

/** Why a try failed; `recipient` is null where a destination has only one. */
export interface NotedFailure {
  reason: string;
  recipient: string | null;
}

/** `others`: the rest of the destination's recipients as it is now. */
export interface ReachedRecipient {
  recipient: string;
  others: string[];
}

export interface SendContext {
  /** Id of this try; another one for each. */
  attemptId: string;
  /** The same for every try of one delivery. */
  deliveryId: string;
  /** Whom of a destination's recipients it is for; of channels with one recipient, no matter. */
  recipient: string;
  signal: AbortSignal;
}

type Configs = { [C in Way['type']]: Extract<Way, { type: C }>['config'] };

/** One channel's way of telling. Never rejects for what the receiver does. */
export interface Sender<C extends Way['type']> {
  send(target: TargetFields & { config: Configs[C] }, alert: AlertSnapshot, context: SendContext): Promise<Verdict>;
}

export type Senders = { [C in Way['type']]: Sender<C> };

/** What the delivery asks about regions. */
export interface RegionNaming {
  /** Each of `ids` under its name, in the same order; one that is gone under its id. */
  named(ids: string[]): RegionName[];
}
