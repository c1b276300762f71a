import { regionName, useRegions } from '../live/regions.ts';
import { diagnosisTexts as texts } from '../texts/diagnosis.ts';
import { Table } from '../ui/table.tsx';
import { timeText } from '../ui/time.tsx';
import type { ExaminedRegion } from './paths.tsx';

const MAX_SHOWN = 5;

/** What each region found besides the path. */
export function ExaminedTable({ regions }: { regions: readonly ExaminedRegion[] }) {
  const names = useRegions();
  return (
    <details>
      <summary>{texts.details}</summary>
      <Table label={texts.details} class="examined" columns={[texts.region, texts.addresses, texts.servers, texts.families, texts.tls]}>
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
      </Table>
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

/** A list of texts that hides its end at first if it is long. */
export function BoundedList({ items, class: more = 'plain-list' }: { items: readonly string[]; class?: string }) {
  if (items.length === 0) return <>–</>;
  // One more item takes no more room than the line that hides it.
  const count = items.length <= MAX_SHOWN + 1 ? items.length : MAX_SHOWN;
  const list = (shown: readonly string[]) => <ul class={more}>{shown.map((item, at) => <li key={at}>{item}</li>)}</ul>;
  return (
    <>
      {list(items.slice(0, count))}
      {count < items.length && (
        <details><summary>{texts.more(items.length - count)}</summary>{list(items.slice(count))}</details>
      )}
    </>
  );
}
