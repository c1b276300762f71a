import { useQuery, useQueryClient } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { answer, api } from '../api/client.ts';
import { useRegions } from '../editing/regions.ts';
import { useLive } from '../live/use-live.ts';
import { canAdminister, me } from '../session/session.ts';
import { welcomeTexts } from '../texts/welcome.ts';
import { Button, LinkButton } from '../ui/button.tsx';
import { CopyLine } from '../ui/copy.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { SelectField, TextField } from '../ui/field.tsx';
import { href } from '../ui/link.ts';
import { useForm } from '../ui/use-form.ts';

/** In place of the id of a region, which has no dots. */
const NEW = 'new.region';
const NOTHING = { region: '', name: '', place: '', city: '', country: '' };

/** Shows which probes there are, and how to start one more elsewhere. */
export function FirstProbe() {
  const queries = useQueryClient();
  const { regions, nameOf } = useRegions();
  const { data } = useQuery({
    queryKey: ['fleet', 'probes', 'first'], queryFn: () => answer(api.GET('/api/probes')), refetchInterval: 30_000,
  });
  useLive('probe', () => void queries.invalidateQueries({ queryKey: ['fleet'] }));
  const [entered, setEntered] = useState(NOTHING);
  const [made, setMade] = useState<{ id: string; name: string; token: string } | null>(null);
  const isOperator = me.value?.user.is_operator === true;
  const own = regions.filter(({ visibility }) => (visibility === 'shared' ? isOperator : canAdminister.value));
  const region = entered.region === '' ? (own[0]?.id ?? NEW) : entered.region;
  const { onSubmit, isBusy, error } = useForm(async () => {
    const region_id = region === NEW ? await createRegion(entered, isOperator) : region;
    const { probe, enrolment_token: token } = await answer(api.POST('/api/probes', { body: { region_id, name: entered.name } }));
    setMade({ id: probe.id, name: probe.name, token });
    await queries.invalidateQueries({ queryKey: ['fleet'] });
  });
  const online = data?.probes.filter(({ status }) => status === 'online') ?? [];
  const field = (name: keyof typeof NOTHING) => ({
    value: entered[name], required: true, maxLength: 100, onValue: (value: string) => setEntered({ ...entered, [name]: value }),
  });
  const isOnline = made !== null && online.some(({ id }) => id === made.id);
  return (
    <>
      <p>{online.length === 0 ? welcomeTexts.noProbe : welcomeTexts.probes(online.map((probe) => `${probe.name} (${nameOf(probe.region_id)})`).join(', '))}</p>
      {made !== null && (
        <div class="enrolment">
          <p>{welcomeTexts.runThis}</p>
          <CopyLine label={welcomeTexts.command} text={`FARWATCH_TOKEN=${made.token} npm run probe -- --controller ${location.origin}`} />
          <p class={`note ${isOnline ? 'good' : ''}`} role="status">{isOnline ? welcomeTexts.cameOnline(made.name) : welcomeTexts.waiting(made.name)}</p>
        </div>
      )}
      {made === null && (isOperator || canAdminister.value) && (
        <form onSubmit={onSubmit}>
          <div class="fields">
            <TextField {...field('name')} label={welcomeTexts.probeName} placeholder="dublin-1" />
            <SelectField
              label={welcomeTexts.region} value={region} onValue={(value: string) => setEntered({ ...entered, region: value })}
              options={[...own.map(({ id, name }) => [id, name] as const), [NEW, welcomeTexts.newRegion] as const]}
            />
          </div>
          {region === NEW && (
            <div class="fields">
              <TextField {...field('place')} label={welcomeTexts.regionName} placeholder="EU West" />
              <TextField {...field('city')} label={welcomeTexts.city} placeholder="Dublin" />
              <TextField {...field('country')} label={welcomeTexts.country} placeholder="IE" />
            </div>
          )}
          <ErrorNote error={error} />
          <div class="actions">
            <Button type="submit" isBusy={isBusy}>{welcomeTexts.addProbe}</Button>
            <LinkButton variant="quiet" href={href('/fleet')}>{welcomeTexts.allProbes}</LinkButton>
          </div>
        </form>
      )}
    </>
  );
}

/** An operator's regions are for everybody, so that monitors without a choice of their own use them. */
async function createRegion({ place, city, country }: typeof NOTHING, isOperator: boolean): Promise<string> {
  const id = place.toLowerCase().normalize('NFD').replace(/[^a-z\d]+/g, '-').replace(/^-+|-+$/g, '').slice(0, 32);
  const { region } = await answer(api.POST('/api/regions', {
    body: { id, name: place, city, country, visibility: isOperator ? 'shared' : 'private' },
  }));
  return region.id;
}
