import { enrolText, type EnrolResponse, type EnrolRequest } from '../../../shared/contracts/enrolment.ts';
import { hashSecret } from '../../../shared/ids.ts';
import type { Log } from '../../../shared/log.ts';
import { AppError } from '../../errors/app-error.ts';
import type { PublicContext } from '../../http/routing/route.ts';
import { fieldError } from '../../http/input/validation.ts';
import { isBoxKey, isSignedByOwnerOf, type ControllerKeys } from '../../platform/bus/nkeys.ts';
import { isDuplicateKey } from '../../platform/mongo/mongo-errors.ts';
import type { FleetDirectory } from '../directory.ts';
import type { ProbeDoc } from '../probe.ts';
import type { RegionStore } from '../region-store.ts';
import type { ProbeStore } from '../store.ts';

export interface EnrolmentDeps {
  probes: ProbeStore;
  regions: Pick<RegionStore, 'find' | 'markToPlace'>;
  keys: ControllerKeys;
  publishIdentities: () => Promise<void>;
  directory: Pick<FleetDirectory, 'refresh'>;
  /** The NATS address for probes. */
  natsUrl: string;
  log: Log;
}

/**
 * Exchanges a token for an identity, once. The holder of the key may repeat it after a lost response. Throws
 * INVALID_TOKEN for an unknown or used token, TOKEN_EXPIRED, VALIDATION_ERROR for a bad signature or key, and
 * CONFLICT if another probe has that key.
 */
export async function enrolProbe(
  deps: EnrolmentDeps,
  ctx: Pick<PublicContext, 'now' | 'address'>,
  request: EnrolRequest,
): Promise<EnrolResponse> {
  const { probes, regions, directory, log } = deps;
  const { public_key, box_key, version, capabilities, signature } = request;
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
  const isSigned = isSignedByOwnerOf(public_key, enrolText(request), signature);
  if (!isSigned) throw fieldError('signature', 'Signature is not valid');
  if (!isBoxKey(box_key)) throw fieldError('box_key', 'Must be a public curve key');
  const { addresses: knownAddresses } = offered;
  const addresses = knownAddresses.length > 0 ? knownAddresses : [ctx.address.replace(/^ip:/, '')];
  const identity = { public_key, box_key, version, capabilities, addresses };
  const probe = await probes.claim(hash, identity, ctx.now).catch((error: unknown) => {
    if (isDuplicateKey(error)) throw new AppError('CONFLICT', 'Another probe is already enrolled with this key');
    throw error;
  });
  // Another request has claimed it meanwhile.
  if (!probe) return repeatEnrolment(deps, hash, request);
  log.info({ probe_id: probe._id, probe_name: probe.name, region: probe.region_id }, 'probe enrolled');
  await regions.markToPlace([probe.region_id]);
  await Promise.all([deps.publishIdentities(), directory.refresh()]);
  return responseFor(deps, probe);
}

async function repeatEnrolment(
  deps: EnrolmentDeps, hash: string, request: EnrolRequest,
): Promise<EnrolResponse> {
  const used = await deps.probes.findByUsedToken(hash);
  if (!used) throw new AppError('INVALID_TOKEN', 'The enrolment token is not valid');
  const isSame = used.public_key === request.public_key && used.box_key === request.box_key;
  if (!isSame || !isSignedByOwnerOf(request.public_key, enrolText(request), request.signature)) {
    throw new AppError('INVALID_TOKEN', 'The enrolment token was already used');
  }
  await deps.publishIdentities();
  return responseFor(deps, used);
}

function responseFor({ keys, natsUrl }: EnrolmentDeps, probe: ProbeDoc): EnrolResponse {
  return {
    probe_id: probe._id,
    name: probe.name,
    region_id: probe.region_id,
    nats_url: natsUrl,
    controller_key: keys.publicKey,
    controller_box_key: keys.boxPublicKey,
  };
}
