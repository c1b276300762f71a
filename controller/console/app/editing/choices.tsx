import { useQuery } from '@tanstack/preact-query';
import { useRoute } from 'preact-iso';
import { useId, useState } from 'preact/hooks';
import { unwrap, api } from '../api/client.ts';
import { canAdministerProject } from '../api/session.ts';
import { formText } from '../destinations/forms.ts';
import { groupOptions, useGroups } from '../live/groups.ts';
import { useRegions } from '../live/regions.ts';
import { MonitorSelection } from '../maintenance/target-selection.tsx';
import { editingTexts } from '../texts/editing.ts';
import { fieldLabels } from '../texts/monitor-fields.ts';
import { FieldError, SelectField } from '../ui/field.tsx';
import { hintOf, AutoNumberField } from './auto-field.tsx';
import type { Path } from './fields.ts';
import { useFormField } from './form-context.ts';
import { requiredRegions, type Quorum } from './policy.ts';

interface Choice {
  id: string;
  text: string;
  note?: string | undefined;
}

/** Multiple choice. A selected value that is no longer offered stays until the user removes it. */
function Choices({ path, choices, emptyHint }: { path: Path; choices: readonly Choice[]; emptyHint: string }) {
  const { value, set, error } = useFormField<string[]>(path);
  const id = useId();
  const isMissing = (one: string) => !choices.some((choice) => choice.id === one);
  const missing = value.filter(isMissing).map((one) => ({ id: one, text: one, note: undefined }));
  return (
    <div class={`choices ${error === undefined ? '' : 'wrong'}`} role="group" aria-labelledby={id}>
      <p class="rows-label" id={id}>{fieldLabels[path]}</p>
      <div class="choice-list">
        {[...choices, ...missing].map((choice) => (
          <label key={choice.id} class="choice">
            <input
              type="checkbox" checked={value.includes(choice.id)}
              onChange={({ currentTarget: { checked } }) => {
                const others = value.filter((one) => one !== choice.id);
                set(checked ? [...others, choice.id] : others);
              }}
            />
            <span>{choice.text}{choice.note !== undefined && <span class="faint"> {choice.note}</span>}</span>
          </label>
        ))}
      </div>
      <FieldError message={error} />
      {value.length === 0 && <p class="hint">{emptyHint}</p>}
    </div>
  );
}

/** Regions with a probe come first. */
export function RegionsField() {
  const regions = [...useRegions().values()].sort((one, other) =>
    Number(other.probes_online > 0) - Number(one.probes_online > 0) || one.name.localeCompare(other.name));
  const choices = regions.map(({ id, name, city, probes_online: probes }) => ({
    id, text: name, note: probes === 0 ? editingTexts.noProbe : city === name ? undefined : city,
  }));
  return <Choices path="monitoring_regions" choices={choices} emptyHint={editingTexts.automatic} />;
}

/** Only project admins may see destinations. */
export function DestinationsField() {
  const { data } = useQuery({
    queryKey: ['destinations', 'names'], queryFn: () => unwrap(api.GET('/api/integrations')), enabled: canAdministerProject.value,
  });
  if (!canAdministerProject.value) return <p class="hint">{editingTexts.destinationsHidden}</p>;
  const choices = data?.integrations.map(({ id, name, type, is_default: isDefault }) => ({
    id, text: name, note: [formText(type), ...isDefault ? [editingTexts.byDefault] : []].join(', '),
  })) ?? [];
  return <Choices path="notification_target_ids" choices={choices} emptyHint={editingTexts.defaultDestinations} />;
}

/** The monitors on which this one depends. They are read when the user opens the list. */
export function DependenciesField() {
  const { value, set, error } = useFormField<string[]>('depends_on');
  const { params: { id } } = useRoute();
  const [isOpen, setIsOpen] = useState(value.length > 0);
  return (
    <details class="more" open={isOpen || error !== undefined} onToggle={({ currentTarget: { open } }) => setIsOpen(open)}>
      <summary>{fieldLabels.depends_on}</summary>
      <div class="more-fields" role="group" aria-label={fieldLabels.depends_on}>
        <p class="hint">{hintOf('depends_on')}</p>
        {isOpen && <MonitorSelection selected={value} onSelect={set} except={id} />}
        <FieldError message={error} />
      </div>
    </details>
  );
}

export function GroupField() {
  const { value, set, error } = useFormField<string | null>('group_id');
  const groups = groupOptions(useGroups());
  const options = value === null || groups.some(([id]) => id === value) ? groups : [...groups, [value, value] as const];
  return (
    <SelectField
      label={fieldLabels.group_id} hint={hintOf('group_id')} error={error} value={value ?? ''} onValue={(id) => set(id === '' ? null : id)}
      options={[['', editingTexts.noGroup] as const, ...options]}
    />
  );
}

/** The confirmation policy as numbers, explained in a sentence. */
export function PolicyField() {
  const { value: quorum, set, error } = useFormField<Quorum>('confirmation_policy.regions');
  const { value: retries } = useFormField<number | null>('confirmation_policy.retries');
  const { value: selectedRegions } = useFormField<string[]>('monitoring_regions');
  const maxCount = Math.max(selectedRegions.length, typeof quorum === 'number' ? quorum : 0, selectedRegions.length === 0 ? 3 : 0);
  const counts = Array.from({ length: Math.max(0, maxCount - 1) }, (_, at) => [String(at + 2), editingTexts.regionsOf(at + 2)] as const);
  const required = requiredRegions(quorum, selectedRegions.length === 0 ? null : selectedRegions.length);
  return (
    <>
      <div class="fields">
        <SelectField
          label={fieldLabels['confirmation_policy.regions']} error={error} value={String(quorum)}
          options={[['majority', editingTexts.majority], ['any', editingTexts.anyRegion], ['all', editingTexts.allRegions], ...counts]}
          onValue={(text: string) => set(/^\d+$/.test(text) ? Number(text) : text as Quorum)}
        />
        <AutoNumberField path="confirmation_policy.retries" />
        <AutoNumberField path="confirmation_policy.recoveries" />
      </div>
      <p class="note" role="status">{editingTexts.policy(quorum, required, selectedRegions.length, (retries ?? 0) + 1)}</p>
    </>
  );
}
