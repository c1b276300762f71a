import { regionName, useRegions } from '../live/regions.ts';
import { diagnosisTexts as texts } from '../texts/diagnosis.ts';
import { timeText } from '../ui/time.tsx';
import { BoundedList } from './bounded-list.tsx';
import type { ExaminedRegion } from './paths.tsx';

/** What each region found out apart from the path. */
export function ExaminedTable({ regions }: { regions: readonly ExaminedRegion[] }) {
  const names = useRegions();
  return (
    <details>
      <summary>{texts.details}</summary>
      <div class="table-wrap" tabIndex={0} role="group" aria-label={texts.details}>
        <table class="stacked examined">
          <thead>
            <tr>
              <th scope="col">{texts.region}</th><th scope="col">{texts.addresses}</th><th scope="col">{texts.servers}</th>
              <th scope="col">{texts.families}</th><th scope="col">{texts.tls}</th>
            </tr>
          </thead>
          <tbody>
            {regions.map((region) => (
              <tr key={`${region.region} ${region.probe_id}`}>
                <th scope="row" class="line">{regionName(names, region.region)}</th>
                <td class="line" data-label={texts.addresses}><BoundedList items={region.addresses} /></td>
                <td class="line" data-label={texts.servers}><BoundedList items={region.resolvers.map(serverText)} /></td>
                <td class="line" data-label={texts.families}>
                  <BoundedList items={[`IPv4: ${texts[region.families.ipv4]}`, `IPv6: ${texts[region.families.ipv6]}`]} />
                </td>
                <td class="line" data-label={texts.tls}><BoundedList items={tlsTexts(region.tls)} /></td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}

function serverText({ server, answer, error }: ExaminedRegion['resolvers'][number]): string {
  return `${server}: ${error ?? (answer.length === 0 ? texts.noAddress : answer.join(', '))}`;
}

function tlsTexts(tls: ExaminedRegion['tls']): string[] {
  if (tls === null) return [];
  const until = tls.valid_to === null ? '' : texts.validTo(timeText(tls.valid_to, 'minute'));
  return [tls.problem ?? '', tls.protocol, tls.issuer, until].filter((text) => text !== '');
}
