import { enrolText, type EnrolRequest } from '../../../shared/contracts/enrolment.ts';
import type { Log } from '../../../shared/log.ts';
import { AppError } from '../../errors/app-error.ts';
import { fieldError } from '../../http/input/validation.ts';
import type { PublicContext } from '../../http/routing/route.ts';
import type { Quota } from '../../plans/quota.ts';
import { isBoxKey, isSignedByOwnerOf, type ControllerKeys } from '../../platform/bus/nkeys.ts';
import type { FleetDirectory } from '../directory.ts';
import type { EnrolmentKeyDoc, EnrolmentKeyStore } from '../enrolment-key-store.ts';
import type { ProbeDoc } from '../probe.ts';
import type { RegionStore } from '../region-store.ts';
import type { EnrolledIdentity, ProbeStore } from '../store.ts';

export interface EnrolmentDeps {
  probes: ProbeStore;
  enrolmentKeys: EnrolmentKeyStore;
  regions: Pick<RegionStore, 'find' | 'markToPlace'>;
  quota: Pick<Quota, 'reserve' | 'release'>;
  keys: ControllerKeys;
  publishIdentities: () => Promise<void>;
  directory: Pick<FleetDirectory, 'refresh'>;
  /** The NATS address for probes. */
  natsUrl: () => string;
  /** Number of shards of this installation. */
  shardCount: number;
  log: Log;
}

export type EnrolmentContext = Pick<PublicContext, 'now' | 'address' | 'clientAddress'>;

export interface Enrolment {
  probe: ProbeDoc;
  /** False for a repeated request. */
  isNew: boolean;
  /** The key that created the probe; null for a token. */
  key: EnrolmentKeyDoc | null;
}

/** Throws VALIDATION_ERROR unless the user nkey's owner signed the request and the box key is usable. */
export function requireOwnKeys(request: EnrolRequest): void {
  const isSigned = isSignedByOwnerOf(request.public_key, enrolText(request), request.signature);
  if (!isSigned) throw fieldError('signature', 'Signature is not valid');
  if (!isBoxKey(request.box_key)) throw fieldError('box_key', 'Must be a public curve key');
}

/** The fields that enrolment sets. `knownAddresses`: set by the probe's operator before it enrolled. */
export function identityOf(
  request: EnrolRequest, ctx: EnrolmentContext, knownAddresses: string[] = [],
): EnrolledIdentity {
  const { public_key, box_key, version, capabilities } = request;
  const addresses = knownAddresses.length > 0 ? knownAddresses : [ctx.address.replace(/^ip:/, '')];
  return { public_key, box_key, version, capabilities, addresses };
}

export function nkeyTaken(): AppError {
  return new AppError('CONFLICT', 'Another probe is already enrolled with this key');
}
