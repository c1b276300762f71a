import { useQuery } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { useRoute } from 'preact-iso';
import { canAdminister, me } from '../api/session.ts';
import { regionsQuery } from '../live/regions.ts';
import { useCommands } from '../shell/commands.ts';
import { useKeys } from '../shell/keys.ts';
import { fleetTexts as texts } from '../texts/fleet.ts';
import { Button } from '../ui/button.tsx';
import { href } from '../ui/link.ts';
import { QueryResult } from '../ui/loading.tsx';
import { Empty, Page } from '../ui/page.tsx';
import { Tabs } from '../ui/tabs.tsx';
import { AddProbe } from './add-probe.tsx';
import { AddRegion } from './add-region.tsx';
import { FleetMap } from './fleet-map.tsx';
import { ProbeTable } from './probe-table.tsx';
import { sortByUrgency, useProbes } from './probes.ts';
import { RegionTable } from './region-table.tsx';

/** All probes and regions visible to the user. */
export default function Fleet() {
  const { params: { view = 'probes' } } = useRoute();
  const [adding, setAdding] = useState<'probe' | 'region' | null>(null);
  const probes = useProbes();
  const regions = useQuery(regionsQuery);
  const canAdd = canAdminister.value || me.value?.user.is_operator === true;
  const add = { text: texts.addProbe, run: () => setAdding('probe') };
  useKeys(canAdd ? [{ keys: 'n', ...add }] : []);
  useCommands(canAdd ? [add] : []);
  const all = regions.data?.regions ?? [];
  return (
    <Page
      title={texts.title}
      actions={canAdd && (
        <>
          <Button onClick={() => setAdding('region')}>{texts.addRegion}</Button>
          <Button variant="primary" onClick={add.run}>{texts.addProbe}</Button>
        </>
      )}
    >
      <Tabs label={texts.title} tabs={[{ to: href('/fleet'), text: texts.probes }, { to: href('/fleet/regions'), text: texts.regions }]} />
      <FleetMap probes={probes.data?.probes ?? []} regions={all} />
      {view === 'regions' ? <QueryResult query={regions}>{(data) => <RegionTable regions={data.regions} />}</QueryResult> : (
        <QueryResult query={probes} lines={6}>
          {(data) => (data.probes.length === 0
            ? (
              <Empty title={texts.none}>
                <p>{texts.noneText}</p>
                {canAdd && <Button variant="primary" onClick={add.run}>{texts.addProbe}</Button>}
              </Empty>
            )
            : <ProbeTable probes={sortByUrgency(data.probes)} regions={all} />)}
        </QueryResult>
      )}
      {adding === 'probe' && <AddProbe onClose={() => setAdding(null)} />}
      {adding === 'region' && <AddRegion onClose={() => setAdding(null)} />}
    </Page>
  );
}
