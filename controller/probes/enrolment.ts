import { enrolText, type EnrolAnswer, type EnrolRequest } from '../../shared/contracts/enrolment.ts';
import { AppError } from '../../shared/errors.ts';
import { hashSecret } from '../../shared/ids.ts';
import type { Log } from '../../shared/log.ts';
import { fieldError } from '../http/validation.ts';
import { isDuplicateKey } from '../platform/mongo/mongo-errors.ts';
import { isBoxKey, isSignedBy, type ControllerKeys } from '../platform/bus/nkeys.ts';
import type { FleetDirectory } from './directory.ts';
import type { IdentityKeeper } from './identity-keeper.ts';
import type { ProbeDoc } from './probe.ts';
import type { RegionStore } from './region-store.ts';
import type { ProbeStore } from './store.ts';

/** How long an enrolment token is good for. */
export const TOKEN_LIFETIME_MS = 15 * 60_000;

export interface EnrolmentDeps {
  probes: ProbeStore;
  regions: Pick<RegionStore, 'markToPlace'>;
  keys: ControllerKeys;
  identities: Pick<IdentityKeeper, 'agree'>;
  directory: Pick<FleetDirectory, 'refresh'>;
  /** What probes are told to connect to. */
  natsUrl: string;
  log: Log;
}

/**
 * Turns a token into an identity: once. The probe that holds the key may ask again with the same token, since an
 * answer can get lost. Throws INVALID_TOKEN for an unknown or used one, TOKEN_EXPIRED, VALIDATION_ERROR when the
 * signature or a key is no good, CONFLICT when another probe has that key.
 */
export async function enrolProbe(deps: EnrolmentDeps, ctx: { now: number }, request: EnrolRequest): Promise<EnrolAnswer> {
  const hash = hashSecret(request.token);
  const offered = await deps.probes.findByToken(hash);
  if (!offered) return answerAgain(deps, hash, request);
  if ((offered.token_expires_at ?? 0) <= ctx.now) throw expired();
  if (!isSignedBy(request.public_key, enrolText(request), request.signature)) throw fieldError('signature', 'Does not verify');
  if (!isBoxKey(request.box_key)) throw fieldError('box_key', 'Must be a public curve key');
  const { public_key, box_key, version, capabilities } = request;
  const probe = await deps.probes.claim(hash, { public_key, box_key, version, capabilities }, ctx.now).catch((error: unknown) => {
    if (isDuplicateKey(error)) throw new AppError('CONFLICT', 'Another probe is enrolled with this key');
    throw error;
  });
  // Between our look and our claim somebody else was quicker.
  if (!probe) return answerAgain(deps, hash, request);
  deps.log.info({ probe_id: probe._id, probe_name: probe.name, region: probe.region_id }, 'probe enrolled');
  await deps.regions.markToPlace([probe.region_id]);
  await Promise.all([deps.identities.agree(), deps.directory.refresh()]);
  return answerFor(deps, probe);
}

async function answerAgain(deps: EnrolmentDeps, hash: string, request: EnrolRequest): Promise<EnrolAnswer> {
  const used = await deps.probes.findByUsedToken(hash);
  if (!used) throw new AppError('INVALID_TOKEN', 'The enrolment token is unknown');
  const isSame = used.public_key === request.public_key && used.box_key === request.box_key;
  if (!isSame || !isSignedBy(request.public_key, enrolText(request), request.signature)) {
    throw new AppError('INVALID_TOKEN', 'The enrolment token has been used');
  }
  await deps.identities.agree();
  return answerFor(deps, used);
}

function answerFor(deps: EnrolmentDeps, probe: ProbeDoc): EnrolAnswer {
  return {
    probe_id: probe._id,
    name: probe.name,
    region_id: probe.region_id,
    nats_url: deps.natsUrl,
    controller_key: deps.keys.publicKey,
    controller_box_key: deps.keys.boxPublicKey,
  };
}

function expired(): AppError {
  return new AppError('TOKEN_EXPIRED', 'The enrolment token has expired');
}
