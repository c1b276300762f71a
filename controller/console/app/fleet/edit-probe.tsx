import { useState } from 'preact/hooks';
import { unwrap, api } from '../api/client.ts';
import { fleetTexts as texts } from '../texts/fleet.ts';
import { NumberField, TextArea, TextField } from '../ui/field.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { toast } from '../ui/toast.tsx';
import { invalidateFleet, type Probe } from './probes.ts';

export function EditProbe({ probe, onClose }: { probe: Probe; onClose: () => void }) {
  const [name, setName] = useState(probe.name);
  const [provider, setProvider] = useState(probe.provider ?? '');
  const [asn, setAsn] = useState(probe.asn);
  const [addresses, setAddresses] = useState(probe.addresses.join('\n'));
  const save = () => unwrap(api.PATCH('/api/probes/{id}', {
    params: { path: { id: probe.id } },
    body: {
      name, provider: provider.trim() === '' ? null : provider.trim(), asn,
      addresses: addresses.split(/[\s,]+/).filter((one) => one !== ''),
    },
  }));
  const handleSaved = () => {
    void invalidateFleet();
    toast(texts.saved);
    onClose();
  };
  return (
    <FormDialog title={probe.name} submitLabel={texts.save} send={save} onSent={handleSaved} onClose={onClose}>
      {(fieldErrors) => (
        <>
          <TextField label={texts.name} required maxLength={100} value={name} onValue={setName} error={fieldErrors.at('name')} />
          <div class="fields">
            <TextField
              label={texts.provider} isOptional hint={texts.networkHint} maxLength={100} value={provider} onValue={setProvider}
              error={fieldErrors.at('provider')}
            />
            <NumberField label={texts.asn} isOptional min={1} max={4294967295} value={asn} onValue={setAsn} error={fieldErrors.at('asn')} />
          </div>
          <TextArea label={texts.addresses} isOptional rows={2} value={addresses} onValue={setAddresses} error={fieldErrors.at('addresses')} />
        </>
      )}
    </FormDialog>
  );
}
