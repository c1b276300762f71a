import type { EnrolledProbe } from './probe.ts';

/** A probe as a user of NATS. */
export type ProbeUser = Pick<EnrolledProbe, '_id' | 'region_id' | 'public_key'>;

export interface ProbeIdentities {
  /** Makes NATS accept exactly these probes, and disconnect all others. Calls never overlap. */
  publish(users: ProbeUser[]): Promise<void>;
}
