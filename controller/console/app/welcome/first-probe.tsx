import { useState } from 'preact/hooks';
import { canAdminister, me } from '../api/session.ts';
import { AddProbe } from '../fleet/add-probe.tsx';
import { useProbes } from '../fleet/probes.ts';
import { regionName, useRegions } from '../live/regions.ts';
import { fleetTexts } from '../texts/fleet.ts';
import { welcomeTexts } from '../texts/welcome.ts';
import { Button, LinkButton } from '../ui/button.tsx';
import { href } from '../ui/link.ts';

/** Lists existing probes, and shows how to start one elsewhere. */
export function FirstProbe() {
  const [isAdding, setAdding] = useState(false);
  const regions = useRegions();
  const probes = useProbes().data?.probes ?? [];
  const online = probes.filter(({ status }) => status === 'online');
  const names = online.map((probe) => `${probe.name} (${regionName(regions, probe.region_id)})`).join(', ');
  const canAdd = canAdminister.value || me.value?.user.is_operator === true;
  return (
    <>
      <p>{online.length === 0 ? welcomeTexts.noProbe : welcomeTexts.probes(names)}</p>
      <div class="actions">
        {canAdd && <Button onClick={() => setAdding(true)}>{fleetTexts.addProbe}</Button>}
        <LinkButton variant="quiet" href={href('/fleet')}>{welcomeTexts.allProbes}</LinkButton>
      </div>
      {isAdding && <AddProbe onClose={() => setAdding(false)} />}
    </>
  );
}
