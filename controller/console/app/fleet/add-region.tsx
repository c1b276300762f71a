import { useState } from 'preact/hooks';
import { ApiError } from '../api/api-error.ts';
import { answer, api } from '../api/client.ts';
import type { FieldErrors } from '../api/field-errors.ts';
import { me } from '../session/session.ts';
import { fleetTexts as texts } from '../texts/fleet.ts';
import { Checkbox, NumberField, SelectField, TextField } from '../ui/field.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { probesChanged, type Region } from './probes.ts';

/** Somewhere that probes can be. */
export function AddRegion({ onClose, onAdded }: { onClose: () => void; onAdded?: (region: Region) => void }) {
  const isOperator = me.value?.user.is_operator === true;
  const [place, setPlace] = useState({ name: '', city: '', country: '' });
  const [id, setId] = useState<string | null>(null);
  const [at, setAt] = useState<{ lat: number | null; lon: number | null }>({ lat: null, lon: null });
  const [visibility, setVisibility] = useState<Region['visibility']>(isOperator ? 'shared' : 'private');
  const [isTaken, setIsTaken] = useState(false);
  const [replaces, setReplaces] = useState(false);
  const shortName = id ?? suggestedId(place.name);
  const add = () => {
    const body = { id: shortName, ...place, ...at, visibility, replace_private: visibility === 'shared' && replaces };
    return answer(api.POST('/api/regions', { body })).catch((error: unknown) => {
      setIsTaken(error instanceof ApiError && error.code === 'RESOURCE_ALREADY_EXISTS');
      throw error;
    });
  };
  const added = ({ region }: { region: Region }) => {
    void probesChanged();
    onAdded?.(region);
    onClose();
  };
  const text = (name: keyof typeof place, wrong: FieldErrors) => ({
    value: place[name], onValue: (value: string) => setPlace({ ...place, [name]: value }), error: wrong.at(name),
    required: true, maxLength: 100,
  });
  return (
    <FormDialog title={texts.addRegion} verb={texts.create} send={add} onSent={added} onClose={onClose}>
      {(wrong) => (
        <>
          <TextField label={texts.name} {...text('name', wrong)} />
          <TextField
            label={texts.id} hint={texts.idHint} required pattern="[a-z0-9\-]{2,32}" value={shortName} onValue={setId}
            error={wrong.at('id')}
          />
          <div class="fields">
            <TextField label={texts.city} {...text('city', wrong)} />
            <TextField label={texts.country} hint={texts.countryHint} {...text('country', wrong)} />
          </div>
          <div class="fields">
            <NumberField
              label={texts.lat} isOptional min={-90} max={90} step={0.0001} value={at.lat}
              onValue={(lat) => setAt({ ...at, lat })} error={wrong.at('lat')}
            />
            <NumberField
              label={texts.lon} isOptional min={-180} max={180} step={0.0001} value={at.lon}
              onValue={(lon) => setAt({ ...at, lon })} error={wrong.at('lon')}
            />
          </div>
          {isOperator && (
            <SelectField
              label={texts.visibility} value={visibility} onValue={setVisibility}
              options={[['shared', texts.shared], ['private', texts.private]]}
            />
          )}
          {visibility === 'shared' && isTaken && (
            <Checkbox label={texts.replace} hint={texts.replaceHint} value={replaces} onValue={setReplaces} />
          )}
        </>
      )}
    </FormDialog>
  );
}

/** A short name as the API takes it, made of the name. */
export function suggestedId(name: string): string {
  const plain = name.normalize('NFD').replace(/\p{Diacritic}/gu, '').toLowerCase();
  return plain.replace(/[^a-z0-9]+/g, '-').replace(/^-+|-+$/g, '').slice(0, 32);
}
