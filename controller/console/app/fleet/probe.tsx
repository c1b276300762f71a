import { useQuery } from '@tanstack/preact-query';
import { useRoute } from 'preact-iso';
import { ApiError } from '../api/api-error.ts';
import { unwrap, api } from '../api/client.ts';
import { useLiveEvent } from '../live/live-stream.ts';
import { useRegions } from '../live/regions.ts';
import { NotFound } from '../shell/not-found.tsx';
import { fleetTexts as texts } from '../texts/fleet.ts';
import { QueryResult } from '../ui/loading.tsx';
import { Page } from '../ui/page.tsx';
import { StateBadge } from '../ui/state.tsx';
import { Ago, msText, numberText, percentText, Time } from '../ui/time.tsx';
import { ProbeMenu } from './probe-menu.tsx';
import { ProbeMesh } from './probe-mesh.tsx';
import { ProbeMonitors } from './probe-monitors.tsx';
import { canManageRegion, invalidateFleet, PROBE_STATES, type Probe } from './probes.ts';

const REFETCH_INTERVAL_MS = 30_000;

export default function ProbeView() {
  const { params: { id = '' } } = useRoute();
  const regions = useRegions();
  const query = useQuery({
    queryKey: ['fleet', 'probe', id], refetchInterval: REFETCH_INTERVAL_MS,
    queryFn: () => unwrap(api.GET('/api/probes/{id}', { params: { path: { id } } })),
  });
  useLiveEvent('probe', (changed) => {
    if (changed['id'] === id) void invalidateFleet();
  });
  if (query.error instanceof ApiError && [400, 404].includes(query.error.status)) return <NotFound />;
  return (
    <QueryResult query={query} lines={8}>
      {({ probe }) => {
        const region = regions.get(probe.region_id);
        return (
          <Page
            title={probe.name} back={{ to: '/fleet', text: texts.back }}
            actions={canManageRegion(region) && <ProbeMenu probe={probe} isOnProbePage />}
          >
            <p class="incident-state"><StateBadge state={PROBE_STATES[probe.status]} text={texts[probe.status]} /> {region?.name ?? probe.region_id}</p>
            {probe.quarantine !== null && (
              <p class="note"><strong>{texts.quarantine}:</strong> {probe.quarantine.reason} · {texts.since} <Ago at={probe.quarantine.since} /></p>
            )}
            {probe.quarantine === null && probe.reason !== null && <p class="note">{probe.reason}</p>}
            <Figures probe={probe} />
            <Facts probe={probe} />
            <ProbeMesh probe={probe} />
            <ProbeMonitors id={id} />
          </Page>
        );
      }}
    </QueryResult>
  );
}

function Figures({ probe }: { probe: Probe }) {
  const figures: [string, string][] = [
    [texts.monitors, numberText(probe.monitors)], [texts.load, rate(probe.load)], [texts.lateness, ms(probe.lateness_ms)],
    [texts.missed, rate(probe.missed_rate)], [texts.lost, rate(probe.lost_rate)], [texts.spool, numberText(probe.spool_depth)],
    [texts.clock, ms(probe.clock_offset_ms)],
  ];
  return (
    <dl class="card probe-figures">
      {figures.map(([name, text]) => <div key={name} class="figure"><dt class="faint">{name}</dt><dd><strong>{text}</strong></dd></div>)}
    </dl>
  );
}

function Facts({ probe }: { probe: Probe }) {
  return (
    <dl class="card facts">
      <dt>{texts.lastSeen}</dt><dd>{probe.last_beat_at === null ? texts.never : <Ago at={probe.last_beat_at} />}</dd>
      <dt>{texts.version}</dt><dd>{probe.version ?? '–'}</dd>
      <dt>{texts.capabilities}</dt><dd>{probe.capabilities.join(', ') || '–'}</dd>
      <dt>{texts.provider}</dt><dd>{probe.provider ?? '–'}</dd>
      <dt>{texts.asn}</dt><dd>{probe.asn ?? '–'}</dd>
      <dt>{texts.addresses}</dt><dd>{probe.addresses.join(', ') || '–'}</dd>
      <dt>{texts.created}</dt><dd><Time at={probe.created_at} /></dd>
      {probe.keys_changed_at !== null && <><dt>{texts.keys}</dt><dd><Time at={probe.keys_changed_at} /></dd></>}
    </dl>
  );
}

const ms = (value: number | null) => (value === null ? '–' : msText(value));
const rate = (value: number | null) => (value === null ? '–' : percentText(value * 100, 1));
