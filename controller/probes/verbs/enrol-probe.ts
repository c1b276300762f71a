import {
  enrolText, isEnrolmentKey, type EnrolResponse, type EnrolRequest,
} from '../../../shared/contracts/enrolment.ts';
import { hashSecret } from '../../../shared/ids.ts';
import { AppError } from '../../errors/app-error.ts';
import type { ResponseAudit } from '../../http/routing/route.ts';
import { isSignedByOwnerOf } from '../../platform/bus/nkeys.ts';
import { isDuplicateKey } from '../../platform/mongo/mongo-errors.ts';
import type { EnrolmentKeyDoc } from '../enrolment-key-store.ts';
import type { ProbeDoc } from '../probe.ts';
import { enrolByKey } from './enrol-by-key.ts';
import {
  identityOf, nkeyTaken, requireOwnKeys, type Enrolment, type EnrolmentContext, type EnrolmentDeps,
} from './enrolment.ts';

/**
 * Exchanges a token or an enrolment key for an identity. Throws what `enrolByToken` and `enrolByKey` throw.
 * `audit` is null unless a key created the probe: the creation of a probe with a token was logged before.
 */
export async function enrolProbe(
  deps: EnrolmentDeps, ctx: EnrolmentContext, request: EnrolRequest,
): Promise<{ response: EnrolResponse; audit: ResponseAudit | null }> {
  const enrolBy = isEnrolmentKey(request.token) ? enrolByKey : enrolByToken;
  const enrolment = await enrolBy(deps, ctx, request);
  const { probe, isNew, key } = enrolment;
  if (isNew) {
    const { _id: probe_id, name: probe_name, region_id: region } = probe;
    deps.log.info({ probe_id, probe_name, region }, 'probe enrolled');
    await deps.regions.markToPlace([region]);
    await Promise.all([deps.publishIdentities(), deps.directory.refresh()]);
  } else await deps.publishIdentities();
  return { response: responseFor(deps, probe), audit: isNew && key !== null ? auditOf(key, probe) : null };
}

/** Shared regions have no organization whose audit log could record it. */
function auditOf(key: EnrolmentKeyDoc, probe: ProbeDoc): ResponseAudit {
  const { _id: resourceId, organization_id: organizationId } = probe;
  const actor = { type: 'none', id: key._id, name: key.name } as const;
  return { actor, resourceId, ...(organizationId === null ? {} : { organizationId }) };
}

/**
 * Uses up the token, once. The holder of the nkey may repeat it after a lost response. Throws INVALID_TOKEN
 * for an unknown or used token, TOKEN_EXPIRED, VALIDATION_ERROR for a bad signature or key, and CONFLICT if
 * another probe has the nkey.
 */
async function enrolByToken(
  deps: EnrolmentDeps, ctx: EnrolmentContext, request: EnrolRequest,
): Promise<Enrolment> {
  const { probes, regions } = deps;
  const hash = hashSecret(request.token);
  const offered = await probes.findByToken(hash);
  if (!offered) return repeatEnrolment(deps, hash, request);
  if ((offered.token_expires_at ?? 0) <= ctx.now) {
    throw new AppError('TOKEN_EXPIRED', 'The enrolment token has expired');
  }
  // The probe was registered while its region changed owners.
  const region = await regions.find(offered.region_id);
  if (region?.organization_id !== offered.organization_id) {
    throw new AppError('INVALID_TOKEN', 'The enrolment token is not valid');
  }
  requireOwnKeys(request);
  const identity = identityOf(request, ctx, offered.addresses);
  const probe = await probes.claim(hash, identity, ctx.now).catch((error: unknown) => {
    throw isDuplicateKey(error) ? nkeyTaken() : error;
  });
  // Another request has claimed it meanwhile.
  return probe ? { probe, isNew: true, key: null } : repeatEnrolment(deps, hash, request);
}

async function repeatEnrolment(deps: EnrolmentDeps, hash: string, request: EnrolRequest): Promise<Enrolment> {
  const used = await deps.probes.findByUsedToken(hash);
  if (!used) throw new AppError('INVALID_TOKEN', 'The enrolment token is not valid');
  const isSame = used.public_key === request.public_key && used.box_key === request.box_key;
  if (!isSame || !isSignedByOwnerOf(request.public_key, enrolText(request), request.signature)) {
    throw new AppError('INVALID_TOKEN', 'The enrolment token was already used');
  }
  return { probe: used, isNew: false, key: null };
}

function responseFor({ keys, natsUrl, shardCount }: EnrolmentDeps, probe: ProbeDoc): EnrolResponse {
  return {
    probe_id: probe._id,
    name: probe.name,
    region_id: probe.region_id,
    nats_url: natsUrl(),
    controller_key: keys.publicKey,
    controller_box_key: keys.boxPublicKey,
    shards: shardCount,
  };
}
