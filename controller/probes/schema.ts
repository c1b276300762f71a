import { z } from 'zod';
import { instantInput, readOnlyFields, uuidParam, singleLineText } from '../http/input/validation.ts';
import { probeView } from './responses.ts';

/** Slug of a region, also a token of NATS subjects. */
const regionId = z.string().regex(/^[a-z0-9-]{2,32}$/, 'Must be 2–32 lowercase letters, digits and hyphens');

const line = singleLineText(100);

export const regionParams = z.strictObject({ id: regionId });

export const probeInput = z.strictObject({ region_id: regionId, name: line });
export type ProbeInput = z.infer<typeof probeInput>;

const addressOrRange = z.union(
  [z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()], { error: 'Must be an IP address or a range like 192.0.2.0/24' },
);

/**
 * `status` accepts `draining` and, to end it, `online`. Other values and fields are ignored, so that a client
 * can send back what it read.
 */
export const probeChange = z
  .strictObject({
    name: line.optional(),
    status: probeView.shape.status.optional(),
    provider: line.nullable().optional(),
    asn: z.int().min(1).max(4_294_967_295).nullable().optional(),
    addresses: z.array(addressOrRange).max(16).optional(),
    ...readOnlyFields(
      'id', 'region_id', 'reason', 'quarantine', 'version', 'capabilities', 'monitors', 'spool_depth',
      'clock_offset_ms', 'load', 'lateness_ms', 'missed_rate', 'lost_rate', 'keys_changed_at', 'rotation_asked_at',
      'last_beat_at', 'created_at', 'mesh',
    ),
  })
  .transform(({ name, status, provider, asn, addresses }) => {
    const is_draining = status === 'draining' ? true : status === 'online' ? false : undefined;
    return { name, is_draining, provider, asn, addresses };
  });
export type ProbeChange = z.infer<typeof probeChange>;

const lat = z.number().min(-90).max(90).nullable();
const lon = z.number().min(-180).max(180).nullable();

export const regionInput = z.strictObject({
  id: regionId,
  name: line,
  city: line,
  country: line,
  lat: lat.default(null),
  lon: lon.default(null),
  visibility: z.enum(['shared', 'private']).default('private'),
  replace_private: z.boolean().default(false).describe(
    'For a shared region: replaces a private region with this id and deletes its probes',
  ),
});
export type RegionInput = z.infer<typeof regionInput>;

const regionFields = z.object({ name: line, city: line, country: line, lat, lon }).partial();

export const regionChange = z
  .strictObject({ ...regionFields.shape, ...readOnlyFields('id', 'visibility', 'probes_online', 'monitors') })
  .transform(({ name, city, country, lat, lon }) => ({ name, city, country, lat, lon }));
export type RegionChange = z.infer<typeof regionChange>;

export const enrolmentKeyParams = regionParams.extend({ keyId: uuidParam });

/** A probe's name has at most 100 characters: the prefix, a hyphen and six digits. */
const MAX_PREFIX_LENGTH = 93;

const range = z.union([z.cidrv4(), z.cidrv6()], { error: 'Must be a range like 192.0.2.0/24 or 2001:db8::/48' });

export const enrolmentKeyInput = z.strictObject({
  name: singleLineText(100),
  expires_at: instantInput.nullable().default(null)
    .describe('Time after which the key enrols no probe'),
  max_uses: z.int().min(1).max(1_000_000).nullable().default(null)
    .describe('How many probes it can enrol; null for any number'),
  is_ephemeral: z.boolean().default(false)
    .describe('Its probes are deleted when they stop, or after 10 minutes without a beat'),
  name_prefix: singleLineText(MAX_PREFIX_LENGTH).nullable().default(null)
    .describe('Its probes are named by this, or by the region, and six hexadecimal digits'),
  cidrs: z.array(range).max(32).default([]).describe('The client addresses that may use it; empty for all'),
});
export type EnrolmentKeyInput = z.infer<typeof enrolmentKeyInput>;
