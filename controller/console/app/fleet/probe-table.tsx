import { fleetTexts as texts } from '../texts/fleet.ts';
import { href } from '../ui/link.ts';
import { StateBadge } from '../ui/state.tsx';
import { Ago, msText, numberText, percentText } from '../ui/time.tsx';
import { ProbeMenu } from './probe-menu.tsx';
import { canManageRegion, PROBE_STATES, type Probe, type Region } from './probes.ts';

/** Above these values, which count toward quarantine, a figure is shown as a warning. */
const WARNING_THRESHOLDS = { lateness_ms: 1000, clock_offset_ms: 1000, missed_rate: 0.01, load: 0.8 };

/** Probes with problems come first. */
export function ProbeTable({ probes, regions }: { probes: Probe[]; regions: Region[] }) {
  const regionOf = new Map(regions.map((region) => [region.id, region]));
  return (
    <div class="table-wrap">
      <table class="probe-table">
        <thead>
          <tr>
            <th scope="col">{texts.probe}</th><th scope="col">{texts.state}</th><th scope="col">{texts.region}</th>
            <th scope="col" class="number">{texts.monitors}</th><th scope="col" class="number">{texts.load}</th>
            <th scope="col" class="number">{texts.lateness}</th><th scope="col" class="number">{texts.missed}</th>
            <th scope="col" class="number">{texts.spool}</th><th scope="col" class="number">{texts.clock}</th>
            <th scope="col">{texts.version}</th><th scope="col">{texts.lastSeen}</th><th scope="col"><span class="hidden">{texts.edit}</span></th>
          </tr>
        </thead>
        <tbody>
          {probes.map((probe) => (
            <tr key={probe.id}>
              <th scope="row"><a href={href(`/fleet/probes/${probe.id}`)}>{probe.name}</a></th>
              <td>
                <StateBadge state={PROBE_STATES[probe.status]} text={texts[probe.status]} />
                {(probe.quarantine?.reason ?? probe.reason) !== null && <p class="small faint">{probe.quarantine?.reason ?? probe.reason}</p>}
              </td>
              <td>{regionOf.get(probe.region_id)?.name ?? probe.region_id}</td>
              <Figure label={texts.monitors} text={numberText(probe.monitors)} />
              <Figure label={texts.load} text={rate(probe.load)} isWarning={(probe.load ?? 0) > WARNING_THRESHOLDS.load} />
              <Figure
                label={texts.lateness} text={ms(probe.lateness_ms)}
                isWarning={(probe.lateness_ms ?? 0) > WARNING_THRESHOLDS.lateness_ms}
              />
              <Figure
                label={texts.missed} text={rate(probe.missed_rate)}
                isWarning={(probe.missed_rate ?? 0) > WARNING_THRESHOLDS.missed_rate}
              />
              <Figure label={texts.spool} text={numberText(probe.spool_depth)} isWarning={probe.spool_depth > 1000} />
              <Figure
                label={texts.clock} text={ms(probe.clock_offset_ms)}
                isWarning={Math.abs(probe.clock_offset_ms ?? 0) > WARNING_THRESHOLDS.clock_offset_ms}
              />
              <td data-label={texts.version}>{probe.version ?? '–'}</td>
              <td data-label={texts.lastSeen}>{probe.last_beat_at === null ? texts.never : <Ago at={probe.last_beat_at} />}</td>
              <td>{canManageRegion(regionOf.get(probe.region_id)) && <ProbeMenu probe={probe} />}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Figure({ label, text, isWarning = false }: { label: string; text: string; isWarning?: boolean }) {
  return <td class={`number ${isWarning ? 'much' : ''}`} data-label={label}>{text}{isWarning && <span aria-hidden="true"> !</span>}</td>;
}

const ms = (value: number | null) => (value === null ? '–' : msText(value));
const rate = (value: number | null) => (value === null ? '–' : percentText(value * 100, 1));
