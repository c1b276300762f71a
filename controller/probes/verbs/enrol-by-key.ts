import { randomBytes } from 'node:crypto';
import type { EnrolRequest } from '../../../shared/contracts/enrolment.ts';
import { hashSecret } from '../../../shared/ids.ts';
import { addressRanges, isWithin } from '../../../shared/net-guard.ts';
import { AppError } from '../../errors/app-error.ts';
import type { EnrolmentKeyDoc } from '../enrolment-key-store.ts';
import type { ProbeDoc, RegionDoc } from '../probe.ts';
import type { EnrolledIdentity } from '../store.ts';
import {
  identityOf, nkeyTaken, requireOwnKeys, type Enrolment, type EnrolmentContext, type EnrolmentDeps,
} from './enrolment.ts';
import { newProbe, releaseFor, reserveFor } from './probes.ts';

/** The names have six random digits, so more collisions in a row are as good as impossible. */
const MAX_NAME_ATTEMPTS = 10;

/**
 * Creates a probe by an enrolment key. The same user nkey gets the same probe again. Throws INVALID_TOKEN for
 * a key that is unknown, deleted or used up, or that this address may not use; TOKEN_EXPIRED;
 * VALIDATION_ERROR for a bad signature or nkey; CONFLICT if the nkey is another probe's or the former probe
 * still exists; and FAIR_USE_LIMIT_REACHED.
 */
export async function enrolByKey(
  deps: EnrolmentDeps, ctx: EnrolmentContext, request: EnrolRequest,
): Promise<Enrolment> {
  const { probes, enrolmentKeys } = deps;
  const { public_key: nkey, former_probe_id: formerId } = request;
  const key = await enrolmentKeys.findByHash(hashSecret(request.token));
  const region = key && await regionOf(deps, key);
  if (!key || !region || !admits(key, ctx.clientAddress)) throw notValid();
  requireOwnKeys(request);
  const known = await repeated(deps, key, request);
  if (known) return known;
  if (key.expires_at !== null && key.expires_at <= ctx.now) {
    throw new AppError('TOKEN_EXPIRED', 'The enrolment key has expired');
  }
  if (formerId !== undefined && (await probes.find(formerId))) {
    throw new AppError('CONFLICT', 'The former probe still exists');
  }
  await reserveFor(deps, region, 'probes');
  const isClaimed = await enrolmentKeys.claim(key, nkey, ctx.now);
  // A claim of a simultaneous request, or of a controller that crashed, counts for this request as well.
  const mayInsert = isClaimed || (await enrolmentKeys.hasClaim(key, nkey));
  const making = { key, region, identity: identityOf(request, ctx), now: ctx.now };
  const probe = mayInsert ? await insertProbe(deps, making) : null;
  if (!probe) {
    await releaseFor(deps, region, 'probes');
    if (isClaimed) await enrolmentKeys.release(key, nkey);
    const twin = await repeated(deps, key, request);
    if (twin) return twin;
    throw new AppError('INVALID_TOKEN', 'The enrolment key was already used');
  }
  await enrolmentKeys.settle(key, nkey);
  // The new owner of the region may have missed this probe.
  if (!(await regionOf(deps, key))) {
    if (await probes.markRemoved(probe._id, ctx.now)) await releaseFor(deps, probe, 'probes');
    throw notValid();
  }
  return { probe, isNew: true, key };
}

/** Null if the region was deleted or changed owners. */
async function regionOf({ regions }: EnrolmentDeps, key: EnrolmentKeyDoc): Promise<RegionDoc | null> {
  const region = await regions.find(key.region_id);
  return region?.organization_id === key.organization_id ? region : null;
}

function admits({ cidrs }: EnrolmentKeyDoc, address: string): boolean {
  return cidrs.length === 0 || isWithin(addressRanges(cidrs), address);
}

/** The probe that the nkey enrolled before, or null. Throws CONFLICT if it is not this key's probe. */
async function repeated(
  { probes, enrolmentKeys }: EnrolmentDeps, key: EnrolmentKeyDoc, request: EnrolRequest,
): Promise<Enrolment | null> {
  const { public_key: nkey, box_key } = request;
  const probe = await probes.findByUserKey(nkey);
  if (!probe) return null;
  const boxKey = probe.public_key === nkey ? probe.box_key : probe.next_box_key;
  if (probe.enrolment_key_id !== key._id || boxKey !== box_key) throw nkeyTaken();
  // The controller that stored the probe crashed before it ended the claim.
  if (key.claims.includes(nkey)) await enrolmentKeys.settle(key, nkey);
  return { probe, isNew: false, key };
}

interface NewProbe {
  key: EnrolmentKeyDoc;
  region: RegionDoc;
  identity: EnrolledIdentity;
  now: number;
}

/** Null if another probe has the nkey. */
async function insertProbe(
  { probes }: EnrolmentDeps, { key, region, identity, now }: NewProbe,
): Promise<ProbeDoc | null> {
  for (let attempt = 0; attempt < MAX_NAME_ATTEMPTS; attempt += 1) {
    const name = `${key.name_prefix ?? region._id}-${randomBytes(3).toString('hex')}`;
    const probe: ProbeDoc = {
      ...newProbe(region, name, now), ...identity, enrolled_at: now, keys_changed_at: now,
      enrolment_key_id: key._id, is_ephemeral: key.is_ephemeral,
    };
    if (await probes.insertIfFree(probe)) return probe;
    if (await probes.isKeyTaken(identity.public_key)) return null;
  }
  throw new AppError('CONFLICT', 'No name is free; try again');
}

function notValid(): AppError {
  return new AppError('INVALID_TOKEN', 'The enrolment key is not valid');
}
