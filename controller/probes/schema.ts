import { z } from 'zod';
import { readOnlyFields } from '../http/params.ts';

/** Slug of a region; a token of NATS subjects too. */
export const regionId = z.string().regex(/^[a-z0-9-]{2,32}$/, 'Must be 2 to 32 of a-z, 0-9 and -');

// eslint-disable-next-line no-control-regex
const line = (most: number) => z.string().trim().min(1).max(most).regex(/^[^\u0000-\u001f\u007f]*$/, 'Must be one line');

export const regionParams = z.strictObject({ id: regionId });

export const probeInput = z.strictObject({ region_id: regionId, name: line(100) });
export type ProbeInput = z.infer<typeof probeInput>;

/**
 * `status` takes `draining` and, to end that, `online`; its other values and the probe's other fields are ignored, so
 * that what was read can be sent back.
 */
export const probeChange = z
  .strictObject({
    name: line(100).optional(),
    status: z.enum(['enrolling', 'online', 'offline', 'draining', 'quarantined']).optional(),
    ...readOnlyFields(
      'id', 'region_id', 'reason', 'version', 'capabilities', 'monitors', 'spool_depth', 'clock_offset_ms', 'load', 'last_beat_at', 'created_at',
    ),
  })
  .transform(({ name, status }) => ({ name, draining: status === 'draining' ? true : status === 'online' ? false : undefined }));
export type ProbeChange = z.infer<typeof probeChange>;

const place = {
  name: line(100),
  city: line(100),
  country: line(100),
  lat: z.number().min(-90).max(90).nullable(),
  lon: z.number().min(-180).max(180).nullable(),
};

export const regionInput = z.strictObject({
  id: regionId,
  name: place.name,
  city: place.city,
  country: place.country,
  lat: place.lat.default(null),
  lon: place.lon.default(null),
  visibility: z.enum(['shared', 'private']).default('private'),
});
export type RegionInput = z.infer<typeof regionInput>;

export const regionChange = z
  .strictObject({
    name: place.name.optional(),
    city: place.city.optional(),
    country: place.country.optional(),
    lat: place.lat.optional(),
    lon: place.lon.optional(),
    ...readOnlyFields('id', 'visibility', 'probes_online', 'monitors'),
  })
  .transform(({ name, city, country, lat, lon }) => ({ name, city, country, lat, lon }));
export type RegionChange = z.infer<typeof regionChange>;

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
});
export type RegionView = z.infer<typeof regionView>;

export const probeView = z.object({
  id: z.string(),
  name: z.string(),
  region_id: z.string(),
  status: z.enum(['enrolling', 'online', 'offline', 'draining', 'quarantined']),
  /** Why the status is not simply `online`. */
  reason: z.string().nullable(),
  version: z.string().nullable(),
  capabilities: z.array(z.string()),
  /** Monitors that it said it runs. */
  monitors: z.int(),
  /** Results that it has and the controllers have not. */
  spool_depth: z.int(),
  /** The controllers' clock minus the probe's, ms. */
  clock_offset_ms: z.number().nullable(),
  /** Share of one core. */
  load: z.number().nullable(),
  /** ISO 8601. */
  last_beat_at: z.string().nullable(),
  created_at: z.string(),
});
export type ProbeView = z.infer<typeof probeView>;
