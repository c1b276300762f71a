import { regionName, useRegions } from '../live/regions.ts';
import { fleetTexts as texts } from '../texts/fleet.ts';
import { Section } from '../ui/page.tsx';
import { StateBadge } from '../ui/state.tsx';
import { Table } from '../ui/table.tsx';
import { Ago, msText } from '../ui/time.tsx';
import { EDGE_STATES } from './mesh.ts';
import { ProbeLink } from './probe-link.tsx';
import type { Probe } from './probes.ts';

/** The paths from a probe to those that it pings. */
export function ProbeMesh({ probe: { mesh } }: { probe: Probe }) {
  const regions = useRegions();
  if (mesh.length === 0) return null;
  return (
    <Section title={texts.paths}>
      <Table columns={[texts.pathTo, texts.region, texts.state, { number: texts.roundTrip }, texts.lastPing]}>
        {mesh.map(({ probe_id: id, region, state, rtt_ms: rttMs, at }) => (
          <tr key={id}>
            <th scope="row" class="wide"><ProbeLink id={id} /></th>
            <td data-label={texts.region}>{regionName(regions, region)}</td>
            <td><StateBadge state={EDGE_STATES[state]} text={texts[state]} /></td>
            <td class="number" data-label={texts.roundTrip}>{rttMs === null ? '–' : msText(rttMs)}</td>
            <td data-label={texts.lastPing}><Ago at={at} /></td>
          </tr>
        ))}
      </Table>
    </Section>
  );
}
