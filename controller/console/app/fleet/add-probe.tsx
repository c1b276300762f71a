import { useMutation } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { ApiError } from '../api/api-error.ts';
import { answer, api } from '../api/client.ts';
import { fleetTexts as texts } from '../texts/fleet.ts';
import { Button } from '../ui/button.tsx';
import { CopyLine } from '../ui/copy.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { SelectField, TextField } from '../ui/field.tsx';
import { StateBadge } from '../ui/state.tsx';
import { AddRegion } from './add-region.tsx';
import { mayChange, probesChanged, useProbes, type Region } from './probes.ts';

/** While somebody starts the probe, a beat is not far away. */
const LOOK_EVERY_MS = 3000;
const NEW_REGION = '+';

/** Creates a probe, says how to start it, and waits until it is online. */
export function AddProbe({ regions, onClose }: { regions: readonly Region[]; onClose: () => void }) {
  const [created, setCreated] = useState<{ id: string; token: string } | null>(null);
  return (
    <Dialog title={created === null ? texts.addProbe : texts.enrol} onClose={onClose}>
      {created === null
        ? <ProbeForm regions={regions.filter(mayChange)} onCreated={setCreated} onClose={onClose} />
        : <Enrolment {...created} onClose={onClose} />}
    </Dialog>
  );
}

function ProbeForm({ regions, onCreated, onClose }: {
  regions: readonly Region[]; onCreated: (created: { id: string; token: string }) => void; onClose: () => void;
}) {
  const [name, setName] = useState('');
  const [region, setRegion] = useState(regions[0]?.id ?? '');
  const [isAdding, setAdding] = useState(regions.length === 0);
  const creating = useMutation({
    mutationFn: () => answer(api.POST('/api/probes', { body: { name, region_id: region } })),
    onSuccess: async ({ probe, enrolment_token: token }) => {
      onCreated({ id: probe.id, token });
      await probesChanged();
    },
  });
  const wrong = creating.error instanceof ApiError ? creating.error.fields : {};
  return (
    <>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          creating.mutate();
        }}
      >
        <TextField label={texts.name} hint={texts.nameHint} required maxLength={100} value={name} onValue={setName} error={wrong['name']} />
        <SelectField
          label={texts.region} value={region} error={wrong['region_id']}
          onValue={(value) => (value === NEW_REGION ? setAdding(true) : setRegion(value))}
          options={[...regions.map(({ id, name: text }) => [id, text] as const), [NEW_REGION, texts.newRegion]]}
        />
        <ErrorNote error={creating.error} />
        <footer>
          <Button onClick={onClose}>{texts.cancel}</Button>
          <Button type="submit" variant="primary" isBusy={creating.isPending} disabled={region === ''}>{texts.create}</Button>
        </footer>
      </form>
      {isAdding && <AddRegion onClose={() => setAdding(false)} onAdded={({ id }) => setRegion(id)} />}
    </>
  );
}

/** The command that starts the probe; the dialog notices by itself when it is online. */
export function Enrolment({ id, token, onClose }: { id: string; token: string; onClose: () => void }) {
  const { data } = useProbes({ every: LOOK_EVERY_MS });
  const probe = data?.probes.find((one) => one.id === id);
  const isOnline = probe?.status === 'online';
  return (
    <>
      <p>{texts.enrolLong}</p>
      <CopyLine label={texts.command} text={`FARWATCH_TOKEN=${token} npm run probe -- --controller ${location.origin}`} />
      <p role="status" class="enrolment-state">
        {isOnline ? <StateBadge state="up" text={texts.isOnline(probe.name)} /> : <span class="waiting">{texts.waiting}</span>}
      </p>
      <footer><Button variant={isOnline ? 'primary' : 'plain'} onClick={onClose}>{texts.done}</Button></footer>
    </>
  );
}
