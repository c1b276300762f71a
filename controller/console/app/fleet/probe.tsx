import { useQuery } from '@tanstack/preact-query';
import { useRoute } from 'preact-iso';
import { ApiError } from '../api/api-error.ts';
import { answer, api } from '../api/client.ts';
import { useLive } from '../live/use-live.ts';
import { NotFound } from '../shell/not-found.tsx';
import { fleetTexts as texts } from '../texts/fleet.ts';
import { Shown } from '../ui/loading.tsx';
import { Page } from '../ui/page.tsx';
import { StateBadge } from '../ui/state.tsx';
import { Ago, msText, numberText, percentText, Time } from '../ui/time.tsx';
import { ProbeMenu } from './probe-menu.tsx';
import { ProbeMonitors } from './probe-monitors.tsx';
import { mayChange, probesChanged, TONES, useRegions, type Probe } from './probes.ts';

const READ_EVERY_MS = 30_000;

/** One probe: how it is, and why. */
export default function ProbeView() {
  const { params: { id = '' } } = useRoute();
  const regions = useRegions();
  const read = useQuery({
    queryKey: ['fleet', 'probe', id], refetchInterval: READ_EVERY_MS,
    queryFn: () => answer(api.GET('/api/probes/{id}', { params: { path: { id } } })),
  });
  useLive('probe', (changed) => {
    if (changed['id'] === id) void probesChanged();
  });
  if (read.error instanceof ApiError && [400, 404].includes(read.error.status)) return <NotFound />;
  return (
    <Shown of={read} lines={8}>
      {({ probe }) => {
        const region = regions.data?.regions.find((one) => one.id === probe.region_id);
        return (
          <Page
            title={probe.name} back={{ to: '/fleet', text: texts.back }}
            actions={mayChange(region) && <ProbeMenu probe={probe} isAlone />}
          >
            <p class="incident-state"><StateBadge state={TONES[probe.status]} text={texts[probe.status]} /> {region?.name ?? probe.region_id}</p>
            {probe.quarantine !== null && (
              <p class="note"><strong>{texts.quarantine}:</strong> {probe.quarantine.reason} · {texts.since} <Ago at={probe.quarantine.since} /></p>
            )}
            {probe.quarantine === null && probe.reason !== null && <p class="note">{probe.reason}</p>}
            <Figures probe={probe} />
            <Facts probe={probe} />
            <ProbeMonitors id={id} />
          </Page>
        );
      }}
    </Shown>
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
      <dt>{texts.seen}</dt><dd>{probe.last_beat_at === null ? texts.never : <Ago at={probe.last_beat_at} />}</dd>
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
