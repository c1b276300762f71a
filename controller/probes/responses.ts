import { z } from 'zod';

export const regionView = z.object({
  id: z.string(),
  name: z.string(),
  city: z.string(),
  country: z.string(),
  lat: z.number().nullable(),
  lon: z.number().nullable(),
  visibility: z.enum(['shared', 'private']),
  /** Online probes. */
  probes_online: z.int(),
  /** Monitors of the caller's organization that run in the region. */
  monitors: z.int(),
}).meta({ id: 'Region' });
export type RegionView = z.infer<typeof regionView>;

const edgeView = z.object({
  probe_id: z.string(),
  region: z.string(),
  state: z.enum(['ok', 'broken', 'unknown'])
    .describe('`broken`: three pings in a row got no reply, although both probes are online'),
  rtt_ms: z.number().nullable().describe('Null if the latest ping got no reply'),
  at: z.int().describe('When the latest ping was reported, Unix ms'),
}).meta({ id: 'MeshEdge' });

export const probeView = z.object({
  id: z.string(),
  name: z.string(),
  region_id: z.string(),
  status: z.enum(['enrolling', 'online', 'offline', 'draining', 'quarantined']),
  /** Why the status is not simply `online`. */
  reason: z.string().nullable(),
  /** Why, and since when (ISO 8601), the probe's reports do not count. */
  quarantine: z.object({ reason: z.string(), since: z.string() }).nullable(),
  version: z.string().nullable(),
  capabilities: z.array(z.string()),
  /** Monitors that the probe runs, by its own count; 0 while it is offline. */
  monitors: z.int(),
  /** Unsent results in the probe's spool. */
  spool_depth: z.int(),
  /** The controllers' clock minus the probe's, ms. */
  clock_offset_ms: z.number().nullable(),
  /** Share of one core. This and the next three are null while the probe is offline. */
  load: z.number().nullable(),
  /** Largest delay of its checks in five seconds, ms. */
  lateness_ms: z.number().nullable(),
  /** Share of its slots without a check in the last minute or two. */
  missed_rate: z.number().nullable(),
  /** Share of its results that it could not store in that time, for example on a full disk. */
  lost_rate: z.number().nullable(),
  /** Set by its operator. */
  provider: z.string().nullable(),
  asn: z.int().nullable(),
  /** Addresses and ranges that its checks come from. */
  addresses: z.array(z.string()),
  /** When the current keys came into use. ISO 8601. */
  keys_changed_at: z.string().nullable(),
  /** When the key rotation in progress was requested; null if there is none. ISO 8601. */
  rotation_asked_at: z.string().nullable(),
  /** ISO 8601. */
  last_beat_at: z.string().nullable(),
  created_at: z.string(),
  /** The probes that it pings once a minute. */
  mesh: z.array(edgeView),
}).meta({ id: 'Probe' });
export type ProbeView = z.infer<typeof probeView>;

export const enrolmentKeyView = z.object({
  id: z.string(),
  region_id: z.string(),
  name: z.string(),
  expires_at: z.string().nullable(),
  max_uses: z.int().nullable(),
  /** Probes that it has enrolled, including deleted ones. */
  uses: z.int(),
  is_ephemeral: z.boolean(),
  name_prefix: z.string().nullable(),
  cidrs: z.array(z.string()),
  /** ISO 8601. */
  created_at: z.string(),
  last_used_at: z.string().nullable(),
}).meta({ id: 'EnrolmentKey' });
export type EnrolmentKeyView = z.infer<typeof enrolmentKeyView>;
