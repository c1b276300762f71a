import type { AlertEvent } from '../results/ports.ts';
import type { AlertSnapshot, Channel, Verdict } from './delivery.ts';

/** A destination, as much as the sending needs. */
export interface Target {
  id: string;
  organizationId: string;
  projectId: string;
  channel: Channel;
  enabled: boolean;
  events: AlertEvent[];
  webhook: { url: string; method: 'POST' | 'PUT'; headers: { name: string; value: string }[] };
  /** Null until it is first needed. */
  secret: string | null;
}

export interface Tenant {
  organizationId: string;
  projectId: string;
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

export interface SendContext {
  /** Id of this try; another one for each. */
  attemptId: string;
  signal: AbortSignal;
}

/** One channel's way of telling. Never rejects for what the receiver does. */
export interface Sender {
  send(target: Target, alert: AlertSnapshot, context: SendContext): Promise<Verdict>;
}

export type Senders = Partial<Record<Channel, Sender>>;
