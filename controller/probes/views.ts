import { isoTime } from '../../shared/time.ts';
import { classifyAddress } from '../../shared/net-guard.ts';
import type { EnrolmentKeyDoc } from './enrolment-key-store.ts';
import type { EnrolmentKeyView, ProbeView, RegionView } from './responses.ts';
import type { FleetDirectory } from './directory.ts';
import type { Liveness } from './liveness.ts';
import type { Edges } from './mesh.ts';
import { isEnrolled, type ProbeDoc, type RegionDoc } from './probe.ts';
import { clockOffsetMs } from './rules.ts';

type RegionCounts = Pick<RegionView, 'probes_online' | 'monitors'>;

export function viewRegion(region: RegionDoc, counts: RegionCounts): RegionView {
  const { _id: id, name, city, country, lat, lon, visibility } = region;
  return { id, name, city, country, lat, lon, visibility, ...counts };
}

/** The document `/.well-known/probes.json`. */
interface ProbeAddresses {
  regions: (Pick<RegionView, 'id' | 'name' | 'city' | 'country'> & { addresses: string[] })[];
}

/** Source addresses of each shared region's checks, without addresses that are not public. */
export function viewProbeAddresses(directory: Pick<FleetDirectory, 'regions' | 'probesOf'>): ProbeAddresses {
  const shared = directory.regions().filter(({ visibility }) => visibility === 'shared');
  return {
    regions: shared.map(({ _id: id, name, city, country }) => {
      const all = directory.probesOf(id).filter(isEnrolled).flatMap(({ addresses = [] }) => addresses);
      return { id, name, city, country, addresses: [...new Set(all)].filter(isPublicAddress).sort() };
    }),
  };
}

/** Whether an address, or the start of a range, is public on the internet. */
export function isPublicAddress(address: string): boolean {
  return classifyAddress(address.split('/')[0] as string) === 'global';
}

/** The stored probe with its latest beat. An offline probe's monitors have moved to others. */
export function viewProbe(
  probe: ProbeDoc, liveness: Pick<Liveness, 'track' | 'statusOf'>, edges: Edges,
): ProbeView {
  const track = liveness.track(probe._id);
  const { status, reason } = liveness.statusOf(probe);
  const running = status === 'offline' ? null : track?.beat;
  return {
    id: probe._id,
    name: probe.name,
    region_id: probe.region_id,
    status,
    reason,
    quarantine: viewQuarantine(probe),
    version: track?.beat.version ?? probe.version,
    capabilities: track?.beat.capabilities ?? probe.capabilities,
    monitors: running?.monitors ?? 0,
    spool_depth: track?.beat.spool_depth ?? 0,
    clock_offset_ms: track ? clockOffsetMs(track) : null,
    load: running?.load ?? null,
    lateness_ms: running?.lateness_ms ?? null,
    missed_rate: running?.missed_rate ?? null,
    lost_rate: running?.lost_rate ?? null,
    provider: probe.provider,
    asn: probe.asn,
    addresses: probe.addresses,
    keys_changed_at: isoTime(probe.keys_changed_at ?? probe.enrolled_at),
    rotation_asked_at: isoTime(probe.rotation_asked_at),
    last_beat_at: isoTime(track?.at ?? probe.last_beat_at),
    created_at: isoTime(probe.created_at),
    mesh: edges.get(probe._id) ?? [],
  };
}

function viewQuarantine({ quarantine }: ProbeDoc): ProbeView['quarantine'] {
  return quarantine ? { reason: quarantine.reason, since: new Date(quarantine.since).toISOString() } : null;
}

export function viewEnrolmentKey(doc: EnrolmentKeyDoc): EnrolmentKeyView {
  const { _id: id, region_id, name, max_uses, uses, is_ephemeral, name_prefix, cidrs } = doc;
  return {
    id, region_id, name, max_uses, uses, is_ephemeral, name_prefix, cidrs,
    expires_at: isoTime(doc.expires_at), created_at: isoTime(doc.created_at),
    last_used_at: isoTime(doc.last_used_at),
  };
}
