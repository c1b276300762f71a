import { hashSecret } from '../../shared/ids.ts';
import { unlessTaken } from '../platform/mongo/mongo-errors.ts';
import type { RegionDoc } from './probe.ts';
import type { RegionStore } from './region-store.ts';
import type { ProbeStore } from './store.ts';
import { cityOfTimeZone } from './time-zone-city.ts';
import { newProbe } from './verbs/probes.ts';

const LOCAL_REGION = 'local';
const EMBEDDED_PROBE = 'embedded';
/** The quickstart hands this token to a probe on the same machine, at once or whenever that can be started. */
const EMBEDDED_TOKEN_LIFETIME_MS = 24 * 3_600_000;

export interface SeedDeps {
  regions: RegionStore;
  probes: ProbeStore;
  now: number;
  /** IANA name of the machine's zone. */
  timeZone: string;
  /** Enrols the probe that runs beside the controller; null: there is none. */
  embeddedProbeToken: string | null;
}

/** Makes the region `local` where there is none yet, and the probe `embedded` in it that its token enrols. */
export async function seedFleet(deps: SeedDeps): Promise<void> {
  const present = await deps.regions.all();
  const local = present.find((region) => region._id === LOCAL_REGION) ?? localRegion(deps);
  if (present.length === 0 || deps.embeddedProbeToken !== null) await deps.regions.insertIfAbsent(local);
  if (deps.embeddedProbeToken !== null) await offerEmbedded(deps, local, hashSecret(deps.embeddedProbeToken));
}

function localRegion(deps: SeedDeps): RegionDoc {
  const city = cityOfTimeZone(deps.timeZone) ?? 'Local';
  const place = { name: 'Local', city, country: '', lat: null, lon: null };
  return { _id: LOCAL_REGION, ...place, visibility: 'shared', organization_id: null, created_at: deps.now, to_place: 0 };
}

/**
 * A probe whose data was wiped comes with a new token, and enrols anew as the same probe: its former identity ends
 * with that. A token that the probe is enrolled by already stays spent.
 */
async function offerEmbedded(deps: SeedDeps, region: RegionDoc, hash: string): Promise<void> {
  const expiresAt = deps.now + EMBEDDED_TOKEN_LIFETIME_MS;
  const found = await deps.probes.findByName(region._id, EMBEDDED_PROBE);
  if (found) {
    if (found.used_token_hash !== hash) await deps.probes.offerToken(found._id, hash, expiresAt);
    return;
  }
  const probe = { ...newProbe(region, EMBEDDED_PROBE, deps.now), token_hash: hash, token_expires_at: expiresAt };
  // Taken when another controller of this installation started at the same moment.
  await unlessTaken(deps.probes.insert(probe));
}
