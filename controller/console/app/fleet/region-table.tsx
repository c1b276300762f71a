import { useState } from 'preact/hooks';
import { unwrap, api } from '../api/client.ts';
import { fleetTexts as texts } from '../texts/fleet.ts';
import { Button } from '../ui/button.tsx';
import { ConfirmDialog } from '../ui/dialog.tsx';
import { Empty } from '../ui/page.tsx';
import { Table } from '../ui/table.tsx';
import { numberText } from '../ui/time.tsx';
import { toast } from '../ui/toast.tsx';
import { EnrolmentKeys } from './enrolment-keys.tsx';
import { canManageRegion, invalidateFleet, type Region } from './probes.ts';

export function RegionTable({ regions }: { regions: Region[] }) {
  const [deleting, setDeleting] = useState<Region | null>(null);
  const [showingKeys, setShowingKeys] = useState<Region | null>(null);
  if (regions.length === 0) return <Empty title={texts.noRegions} />;
  return (
    <>
      <Table
        columns={[
          texts.region, texts.city, texts.visibility, { number: texts.probesOnline }, { number: texts.monitors },
          { hidden: texts.deleteRegion },
        ]}
      >
        {regions.map((region) => (
          <tr key={region.id}>
            <th scope="row" class="wide">{region.name} <code class="faint">{region.id}</code></th>
            <td>{[region.city, region.country].filter((one) => one !== '').join(', ')}</td>
            <td data-label={texts.visibility}>{texts[region.visibility]}</td>
            <td class="number" data-label={texts.probesOnline}>{numberText(region.probes_online)}</td>
            <td class="number" data-label={texts.monitors}>{numberText(region.monitors)}</td>
            <td class="number">{canManageRegion(region) && (
              <div class="actions">
                <Button variant="quiet" aria-label={texts.enrolmentKeysOf(region.name)} onClick={() => setShowingKeys(region)}>{texts.enrolmentKeys}</Button>
                <Button variant="quiet" aria-label={texts.deleteRegionTitle(region.name)} onClick={() => setDeleting(region)}>{texts.deleteRegion}</Button>
              </div>
            )}</td>
          </tr>
        ))}
      </Table>
      {showingKeys !== null && <EnrolmentKeys region={showingKeys} onClose={() => setShowingKeys(null)} />}
      {deleting !== null && (
        <ConfirmDialog
          title={texts.deleteRegionTitle(deleting.name)} text={texts.deleteRegionText} confirmLabel={texts.deleteRegion}
          onClose={() => setDeleting(null)}
          action={async () => {
            await unwrap(api.DELETE('/api/regions/{id}', { params: { path: { id: deleting.id } } }));
            await invalidateFleet();
            toast(texts.regionDeleted);
          }}
        />
      )}
    </>
  );
}
