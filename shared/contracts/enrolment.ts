import { z } from 'zod';
import { DEFAULT_SHARDS, MAX_SHARDS } from '../ids.ts';

/** Enrolment keys begin with this; one-time tokens do not. */
export const ENROLMENT_KEY_PREFIX = 'fwe_';

export function isEnrolmentKey(token: string): boolean {
  return token.startsWith(ENROLMENT_KEY_PREFIX);
}

/**
 * Body of `POST /api/probes/enrol`. `public_key` is the probe's NATS user nkey (U…); assignments are sealed
 * to `box_key`, its curve key (X…). `signature` (base64url) is the user nkey's over `token \n public_key \n
 * box_key \n nonce`. `token` is a one-time token or an enrolment key.
 */
export const enrolRequest = z.strictObject({
  token: z.string().min(16).max(256),
  public_key: z.string().regex(/^U[A-Z2-7]{55}$/),
  box_key: z.string().regex(/^X[A-Z2-7]{55}$/),
  nonce: z.string().min(16).max(128),
  signature: z.string().min(16).max(256),
  version: z.string().max(64),
  capabilities: z.array(z.string().max(32)).max(32),
  /** With an enrolment key: the probe that this one replaces, which must no longer exist. */
  former_probe_id: z.string().max(64).optional(),
});
export type EnrolRequest = z.infer<typeof enrolRequest>;

/** The probe receives it once and stores it in DATA_DIR. */
export const enrolResponse = z.object({
  probe_id: z.string(),
  name: z.string(),
  region_id: z.string(),
  nats_url: z.string(),
  /** Ed25519 public key (nkey A…) that signs assignments. */
  controller_key: z.string(),
  /** Curve public key (X…) of the controller, which seals assignments. */
  controller_box_key: z.string(),
  /** Number of shards of the installation, by which results are numbered. */
  shards: z.int().min(1).max(MAX_SHARDS).default(DEFAULT_SHARDS),
});
export type EnrolResponse = z.infer<typeof enrolResponse>;

/** The text that an enrolment's `signature` covers. */
export function enrolText(request: Pick<EnrolRequest, 'token' | 'public_key' | 'box_key' | 'nonce'>): string {
  return [request.token, request.public_key, request.box_key, request.nonce].join('\n');
}
