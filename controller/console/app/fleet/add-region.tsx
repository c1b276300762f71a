import { useState } from 'preact/hooks';
import { ApiError } from '../api/api-error.ts';
import { unwrap, api } from '../api/client.ts';
import type { FieldErrors } from '../api/field-errors.ts';
import { me } from '../api/session.ts';
import { fleetTexts as texts } from '../texts/fleet.ts';
import { Checkbox, NumberField, SelectField, TextField } from '../ui/field.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { invalidateFleet, type Region } from './probes.ts';

export function AddRegion({ onClose, onAdded }: { onClose: () => void; onAdded?: (region: Region) => void }) {
  const isOperator = me.value?.user.is_operator === true;
  const [details, setDetails] = useState({ name: '', city: '', country: '' });
  const [id, setId] = useState<string | null>(null);
  const [coordinates, setCoordinates] = useState<{ lat: number | null; lon: number | null }>({ lat: null, lon: null });
  const [visibility, setVisibility] = useState<Region['visibility']>(isOperator ? 'shared' : 'private');
  const [isTaken, setIsTaken] = useState(false);
  const [replacesPrivate, setReplacesPrivate] = useState(false);
  const shortName = id ?? suggestedId(details.name);
  const add = () => {
    const body = { id: shortName, ...details, ...coordinates, visibility, replace_private: visibility === 'shared' && replacesPrivate };
    return unwrap(api.POST('/api/regions', { body })).catch((error: unknown) => {
      setIsTaken(error instanceof ApiError && error.code === 'RESOURCE_ALREADY_EXISTS');
      throw error;
    });
  };
  const handleAdded = ({ region }: { region: Region }) => {
    void invalidateFleet();
    onAdded?.(region);
    onClose();
  };
  const textProps = (name: keyof typeof details, fieldErrors: FieldErrors) => ({
    value: details[name], onValue: (value: string) => setDetails({ ...details, [name]: value }), error: fieldErrors.at(name),
    required: true, maxLength: 100,
  });
  return (
    <FormDialog title={texts.addRegion} submitLabel={texts.create} send={add} onSent={handleAdded} onClose={onClose}>
      {(fieldErrors) => (
        <>
          <TextField label={texts.name} {...textProps('name', fieldErrors)} />
          <TextField
            label={texts.id} hint={texts.idHint} required pattern="[a-z0-9\-]{2,32}" value={shortName} onValue={setId}
            error={fieldErrors.at('id')}
          />
          <div class="fields">
            <TextField label={texts.city} {...textProps('city', fieldErrors)} />
            <TextField label={texts.country} hint={texts.countryHint} {...textProps('country', fieldErrors)} />
          </div>
          <div class="fields">
            <NumberField
              label={texts.lat} isOptional min={-90} max={90} step={0.0001} value={coordinates.lat}
              onValue={(lat) => setCoordinates({ ...coordinates, lat })} error={fieldErrors.at('lat')}
            />
            <NumberField
              label={texts.lon} isOptional min={-180} max={180} step={0.0001} value={coordinates.lon}
              onValue={(lon) => setCoordinates({ ...coordinates, lon })} error={fieldErrors.at('lon')}
            />
          </div>
          {isOperator && (
            <SelectField
              label={texts.visibility} value={visibility} onValue={setVisibility}
              options={[['shared', texts.shared], ['private', texts.private]]}
            />
          )}
          {visibility === 'shared' && isTaken && (
            <Checkbox label={texts.replace} hint={texts.replaceHint} value={replacesPrivate} onValue={setReplacesPrivate} />
          )}
        </>
      )}
    </FormDialog>
  );
}

/** Derives a valid id from the name. */
export function suggestedId(name: string): string {
  const plain = name.normalize('NFD').replace(/\p{Diacritic}/gu, '').toLowerCase();
  return plain.replace(/[^a-z0-9]+/g, '-').replace(/^-+|-+$/g, '').slice(0, 32);
}
