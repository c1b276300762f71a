import { hashSecret } from '../../shared/ids.ts';
import type { RegionDoc } from './probe.ts';
import type { RegionStore } from './region-store.ts';
import type { ProbeStore } from './store.ts';
import { newProbe } from './verbs/probes.ts';

const LOCAL_REGION = 'local';
const EMBEDDED_PROBE = 'embedded';
/** The quickstart gives this token to a probe on the same machine, which may start much later. */
const EMBEDDED_TOKEN_LIFETIME_MS = 24 * 3_600_000;
const AREAS = /^(?:Africa|America|Antarctica|Arctic|Asia|Atlantic|Australia|Europe|Indian|Pacific)\//;

interface SeedDeps {
  regions: RegionStore;
  probes: ProbeStore;
  now: number;
  /** IANA name of the machine's time zone. */
  timeZone: string;
  /** Token of the probe that runs beside the controller; null without one. */
  embeddedProbeToken: string | null;
}

/** Creates the region `local` if no region exists, and in it the probe `embedded` for the token. */
export async function seedFleet(deps: SeedDeps): Promise<void> {
  const existing = await deps.regions.list();
  const local = existing.find((region) => region._id === LOCAL_REGION) ?? localRegion(deps);
  if (existing.length === 0 || deps.embeddedProbeToken !== null) await deps.regions.insertIfFree(local);
  if (deps.embeddedProbeToken !== null) await offerEmbedded(deps, local, hashSecret(deps.embeddedProbeToken));
}

/**
 * City in the name of an IANA time zone, such as `Buenos Aires`; null for zones without one, such as `UTC`.
 */
export function cityOfTimeZone(timeZone: string): string | null {
  const city = AREAS.test(timeZone) ? timeZone.split('/').at(-1) : undefined;
  return city ? city.replaceAll('_', ' ') : null;
}

function localRegion({ now, timeZone }: SeedDeps): RegionDoc {
  return {
    _id: LOCAL_REGION,
    name: 'Local',
    city: cityOfTimeZone(timeZone) ?? 'Local',
    country: '',
    lat: null,
    lon: null,
    visibility: 'shared',
    organization_id: null,
    created_at: now,
    to_place: 0,
  };
}

/**
 * A probe whose data was wiped gets a new token and enrols again as the same probe, which ends its former
 * identity. The token of the current enrolment stays used.
 */
async function offerEmbedded(deps: SeedDeps, region: RegionDoc, hash: string): Promise<void> {
  const expiresAt = deps.now + EMBEDDED_TOKEN_LIFETIME_MS;
  const found = await deps.probes.findByName(region._id, EMBEDDED_PROBE);
  if (found?.used_token_hash === hash) return;
  if (found) return deps.probes.offerToken(found._id, hash, expiresAt);
  const token = { token_hash: hash, token_expires_at: expiresAt };
  // Already exists if another controller of this installation started at the same time.
  await deps.probes.insertIfFree({ ...newProbe(region, EMBEDDED_PROBE, deps.now), ...token });
}
