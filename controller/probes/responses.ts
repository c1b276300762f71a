import { z } from 'zod';

export const regionView = z.object({
  id: z.string(),
  name: z.string(),
  city: z.string(),
  country: z.string(),
  lat: z.number().nullable(),
  lon: z.number().nullable(),
  visibility: z.enum(['shared', 'private']),
  /** Probes whose beats arrive. */
  probes_online: z.int(),
  /** Monitors of the caller's organization that run in the region. */
  monitors: z.int(),
}).meta({ id: 'Region' });
export type RegionView = z.infer<typeof regionView>;

export const probeView = z.object({
  id: z.string(),
  name: z.string(),
  region_id: z.string(),
  status: z.enum(['enrolling', 'online', 'offline', 'draining', 'quarantined']),
  /** Why the status is not simply `online`. */
  reason: z.string().nullable(),
  /** Since when (ISO 8601) what it reports decides nothing, and why. */
  quarantine: z.object({ reason: z.string(), since: z.string() }).nullable(),
  version: z.string().nullable(),
  capabilities: z.array(z.string()),
  /** Monitors that the probe runs, by its own count; 0 while it is offline. */
  monitors: z.int(),
  /** Results that wait in the probe for the controllers. */
  spool_depth: z.int(),
  /** The controllers' clock minus the probe's, ms. */
  clock_offset_ms: z.number().nullable(),
  /** Share of one core. This and the next three are null while it is offline. */
  load: z.number().nullable(),
  /** How late its checks began at most in five seconds, ms. */
  lateness_ms: z.number().nullable(),
  /** Share of its slots that were not checked in the last minute or two. */
  missed_rate: z.number().nullable(),
  /** Share of its results that it could not keep in that time, as on a full disk. */
  lost_rate: z.number().nullable(),
  /** Set by its operator. */
  provider: z.string().nullable(),
  asn: z.int().nullable(),
  /** Addresses and ranges that its checks come from. */
  addresses: z.array(z.string()),
  /** Since when its keys are the present ones. ISO 8601. */
  keys_changed_at: z.string().nullable(),
  /** Set while its keys are being replaced: since when. ISO 8601. */
  rotation_asked_at: z.string().nullable(),
  /** ISO 8601. */
  last_beat_at: z.string().nullable(),
  created_at: z.string(),
}).meta({ id: 'Probe' });
export type ProbeView = z.infer<typeof probeView>;
