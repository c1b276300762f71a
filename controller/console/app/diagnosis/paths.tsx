import type { ComponentChildren } from 'preact';
import { tracedPathOf, type Stop } from '../../../../shared/traced-path.ts';
import type { components } from '../api/openapi.d.ts';
import { ProbeLink } from '../fleet/probe-link.tsx';
import { regionName, useRegions } from '../live/regions.ts';
import { diagnosisTexts as texts } from '../texts/diagnosis.ts';
import { STATE_SIGNS, StateBadge } from '../ui/state.tsx';
import { msText } from '../ui/time.tsx';

export type ExaminedRegion = components['schemas']['Diagnosis']['regions'][number];

/** The path from each region to the target, one beside the other; lists, so that screen readers read it in order. */
export function Paths({ regions }: { regions: readonly ExaminedRegion[] }) {
  const names = useRegions();
  return (
    <ul class="paths">
      {regions.map((region) => (
        <li key={`${region.region} ${region.probe_id}`} class="path">
          <h5 class="path-head">
            {regionName(names, region.region)}{' '}
            <StateBadge state={region.sees} text={region.sees === 'up' ? texts.seesUp : texts.seesDown} />
          </h5>
          <Path region={region} />
        </li>
      ))}
    </ul>
  );
}

function Path({ region }: { region: ExaminedRegion }) {
  const { reached, break: found, beyond, target } = tracedPathOf(region);
  const isBefore = found !== null && found !== 'target';
  return (
    <ol class="path-stops">
      <Step kind="probe"><span>{texts.probeStop} <ProbeLink id={region.probe_id} /></span></Step>
      <Stops stops={reached} />
      {isBefore && <Step kind="break" mark="✕">{texts[`break_${found}`]}</Step>}
      <Stops stops={beyond} />
      <Step kind={`path-end ${region.sees}`} mark={STATE_SIGNS[region.sees]}>
        <span>
          <strong>{texts.targetStop}</strong> {target === null ? texts.noAddress : <code>{target.address}</code>}
        </span>
        <RoundTrip ms={target?.rtt_ms ?? null} />
        {found === 'target' && <span class="path-break">{texts.break_target}</span>}
      </Step>
    </ol>
  );
}

function Stops({ stops }: { stops: readonly Stop[] }) {
  return (
    <>
      {stops.map((stop, at) => {
        if (stop.kind === 'untraced') return <Step key={at} kind="silent">{texts.untraced}</Step>;
        if (stop.kind === 'silent') {
          const { from, to } = stop;
          return <Step key={at} kind="silent" hop={from === to ? `${from}` : `${from}–${to}`}>{texts.silent(to - from + 1)}</Step>;
        }
        const { ttl, address, rtt_ms: ms } = stop.hop;
        return <Step key={at} kind="hop" hop={`${ttl}`}><code>{address}</code><RoundTrip ms={ms} /></Step>;
      })}
    </>
  );
}

/** One stop on the line: a hop with its number, or with a sign that its text repeats. */
function Step({ kind, hop, mark = '', children }: { kind: string; hop?: string; mark?: string; children: ComponentChildren }) {
  return (
    <li class={kind}>
      {hop === undefined
        ? <span class="path-mark" aria-hidden="true">{mark}</span>
        : <span class="path-mark"><span class="hidden">{texts.hop} </span>{hop}</span>}
      {children}
    </li>
  );
}

function RoundTrip({ ms }: { ms: number | null }) {
  return ms === null ? null : <span class="path-time">{msText(ms)}</span>;
}
