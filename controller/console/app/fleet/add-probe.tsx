import { useQuery } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { baseUrl } from '../api/base-path.ts';
import { unwrap, api } from '../api/client.ts';
import { regionsQuery } from '../live/regions.ts';
import { fleetTexts as texts } from '../texts/fleet.ts';
import { Button } from '../ui/button.tsx';
import { CopyLine } from '../ui/copy.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { SelectField, TextField } from '../ui/field.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { QueryResult } from '../ui/loading.tsx';
import { StateBadge } from '../ui/state.tsx';
import { AddRegion } from './add-region.tsx';
import { canManageRegion, invalidateFleet, useProbes, type Region } from './probes.ts';

/** Polls often, because the user is about to start the probe. */
const POLL_INTERVAL_MS = 3000;
const NEW_REGION = '+';

/** Creates a probe, shows how to start it, and waits until it is online. */
export function AddProbe({ onClose }: { onClose: () => void }) {
  const regions = useQuery(regionsQuery);
  if (regions.data !== undefined) return <NewProbe regions={regions.data.regions} onClose={onClose} />;
  return <Dialog title={texts.addProbe} onClose={onClose}><QueryResult query={regions}>{() => null}</QueryResult></Dialog>;
}

function NewProbe({ regions, onClose }: { regions: readonly Region[]; onClose: () => void }) {
  const manageableRegions = regions.filter(canManageRegion);
  const [created, setCreated] = useState<{ id: string; token: string } | null>(null);
  const [name, setName] = useState('');
  const [region, setRegion] = useState(manageableRegions[0]?.id ?? '');
  const [isAdding, setAdding] = useState(manageableRegions.length === 0);
  if (created !== null) return <Enrolment {...created} onClose={onClose} />;
  const create = async () => {
    const { probe, enrolment_token: token } = await unwrap(api.POST('/api/probes', { body: { name, region_id: region } }));
    await invalidateFleet();
    return { id: probe.id, token };
  };
  return (
    <>
      <FormDialog title={texts.addProbe} submitLabel={texts.create} send={create} onSent={setCreated} onClose={onClose}>
        {(fieldErrors) => (
          <>
            <TextField label={texts.name} hint={texts.nameHint} required maxLength={100} value={name} onValue={setName} error={fieldErrors.at('name')} />
            <SelectField
              label={texts.region} value={region} error={fieldErrors.at('region_id')}
              onValue={(value) => (value === NEW_REGION ? setAdding(true) : setRegion(value))}
              options={[...manageableRegions.map(({ id, name: text }) => [id, text] as const), [NEW_REGION, texts.newRegion]]}
            />
          </>
        )}
      </FormDialog>
      {isAdding && <AddRegion onClose={() => setAdding(false)} onAdded={({ id }) => setRegion(id)} />}
    </>
  );
}

/** The command that starts the probe; the dialog detects when it is online. */
function Enrolment({ id, token, onClose }: { id: string; token: string; onClose: () => void }) {
  const { data } = useProbes({ every: POLL_INTERVAL_MS });
  const probe = data?.probes.find((one) => one.id === id);
  const isOnline = probe?.status === 'online';
  return (
    <Dialog title={texts.enrol} onClose={onClose}>
      <p>{texts.enrolText}</p>
      <CopyLine label={texts.command} text={`FARWATCH_TOKEN=${token} npx farwatch probe --controller ${baseUrl}`} />
      <p role="status" class="enrolment-state">
        {isOnline ? <StateBadge state="up" text={texts.isOnline(probe.name)} /> : <span class="waiting">{texts.waiting}</span>}
      </p>
      <footer><Button variant={isOnline ? 'primary' : 'plain'} onClick={onClose}>{texts.done}</Button></footer>
    </Dialog>
  );
}
