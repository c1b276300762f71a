import { isoTime } from '../../shared/time.ts';
import type { ProbeView, RegionView } from './answers.ts';
import type { Liveness } from './liveness.ts';
import type { ProbeDoc, RegionDoc } from './probe.ts';
import { clockOffsetMs } from './rules.ts';

type RegionCounts = Pick<RegionView, 'probes_online' | 'monitors'>;

export function viewRegion(region: RegionDoc, counts: RegionCounts): RegionView {
  const { _id: id, name, city, country, lat, lon, visibility } = region;
  return { id, name, city, country, lat, lon, visibility, ...counts };
}

/** The stored probe with what its latest beat says. */
export function viewProbe(probe: ProbeDoc, liveness: Pick<Liveness, 'track' | 'statusOf'>): ProbeView {
  const track = liveness.track(probe._id);
  return {
    id: probe._id,
    name: probe.name,
    region_id: probe.region_id,
    ...liveness.statusOf(probe),
    version: track?.beat.version ?? probe.version,
    capabilities: track?.beat.capabilities ?? probe.capabilities,
    monitors: track?.beat.monitors ?? 0,
    spool_depth: track?.beat.spool_depth ?? 0,
    clock_offset_ms: track ? clockOffsetMs(track) : null,
    load: track?.beat.load ?? null,
    last_beat_at: isoTime(track?.at ?? probe.last_beat_at),
    created_at: isoTime(probe.created_at),
  };
}
