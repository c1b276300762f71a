import { useState } from 'preact/hooks';
import { unwrap, api } from '../api/client.ts';
import type { components } from '../api/openapi.d.ts';
import { fleetTexts as texts } from '../texts/fleet.ts';
import { Checkbox, NumberField, TextArea, TextField } from '../ui/field.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { expiryOf, LifetimeField, UNLIMITED } from '../ui/lifetime.tsx';

export function NewEnrolmentKey({ regionId, onClose, onCreated }: {
  regionId: string; onClose: () => void;
  onCreated: (created: { enrolment_key: components['schemas']['EnrolmentKey']; key: string }) => void;
}) {
  const [name, setName] = useState('');
  const [days, setDays] = useState(UNLIMITED);
  const [maxUses, setMaxUses] = useState<number | null>(null);
  const [isEphemeral, setEphemeral] = useState(false);
  const [prefix, setPrefix] = useState('');
  const [ranges, setRanges] = useState('');
  const create = () => unwrap(api.POST('/api/regions/{id}/enrolment-keys', {
    params: { path: { id: regionId } },
    body: {
      name, max_uses: maxUses, is_ephemeral: isEphemeral, name_prefix: prefix.trim() === '' ? null : prefix.trim(),
      expires_at: expiryOf(days),
      cidrs: ranges.split(/[\s,]+/).filter((one) => one !== ''),
    },
  }));
  return (
    <FormDialog title={texts.newEnrolmentKey} submitLabel={texts.create} send={create} onSent={onCreated} onClose={onClose}>
      {(fieldErrors) => (
        <>
          <TextField
            label={texts.name} hint={texts.enrolmentKeyNameHint} required maxLength={100} value={name} onValue={setName} error={fieldErrors.at('name')}
          />
          <div class="fields">
            <LifetimeField value={days} onValue={setDays} error={fieldErrors.at('expires_at')} />
            <NumberField
              label={texts.maxUses} isOptional min={1} max={1_000_000} value={maxUses} onValue={setMaxUses} error={fieldErrors.at('max_uses')}
            />
          </div>
          <TextField
            label={texts.namePrefix} isOptional hint={texts.namePrefixHint(regionId)} maxLength={93} value={prefix} onValue={setPrefix}
            error={fieldErrors.at('name_prefix')}
          />
          <TextArea
            label={texts.ranges} isOptional hint={texts.rangesHint} rows={2} value={ranges} onValue={setRanges} error={fieldErrors.at('cidrs')}
          />
          <Checkbox label={texts.isEphemeral} hint={texts.isEphemeralHint} value={isEphemeral} onValue={setEphemeral} />
        </>
      )}
    </FormDialog>
  );
}
