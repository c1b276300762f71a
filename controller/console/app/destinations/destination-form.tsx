import { useState } from 'preact/hooks';
import { fieldErrorsOf } from '../api/api-error.ts';
import { TryIt } from '../rehearsal/try-it.tsx';
import { destinationTexts as texts } from '../texts/destinations.ts';
import { rehearsalTexts } from '../texts/rehearsal.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { Checkbox, FieldError, SelectField, TextArea, TextField } from '../ui/field.tsx';
import { useUnsaved } from '../ui/unsaved.ts';
import type { FormField } from './form-field.ts';
import { ConditionFields } from './condition-fields.tsx';
import { EVENT_GROUPS, rehearsalOf, secretsToReenter, type AlertEvent, type Draft } from './draft.ts';
import { formText, forms } from './forms.ts';
import { Logo } from './logo.tsx';
import { MessagePreview, useMessagePreview } from './message-preview.tsx';

const MAX_NAME_LENGTH = 100;

export function DestinationForm({ initial, submitLabel, error, isBusy, onSave }: {
  initial: Draft; submitLabel: string; error: unknown; isBusy: boolean; onSave: (draft: Draft) => void;
}) {
  const [draft, setDraft] = useState(initial);
  const set = (part: Partial<Draft>) => setDraft({ ...draft, ...part });
  useUnsaved(!isBusy && JSON.stringify(draft) !== JSON.stringify(initial));
  const preview = useMessagePreview(draft);
  const fieldErrors = fieldErrorsOf(error);
  // Errors of the last attempt to save come before those of the preview.
  const configErrors = fieldErrors.isEmpty ? fieldErrorsOf(preview.query.error) : fieldErrors;
  const toReenter = secretsToReenter(initial, draft, forms[draft.type]);
  const errorOf = (name: string) => {
    const found = configErrors.at(`config.${name}`);
    return toReenter.includes(name) ? texts.reenter : found;
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onSave(draft);
      }}
    >
      <fieldset>
        <legend><Logo kind={draft.type} /> {formText(draft.type)}</legend>
        <p class="hint">{formText(`${draft.type} help`)}</p>
        <TextField
          label={texts.name} required maxLength={MAX_NAME_LENGTH} value={draft.name} onValue={(name) => set({ name })}
          error={fieldErrors.at('name')}
        />
        {forms[draft.type].fields.map((field) => (
          <ConfigField key={field.name} field={field} draft={draft} set={set} error={errorOf(field.name)} />
        ))}
        <MessagePreview preview={preview} />
        <Checkbox
          label={texts.isDefault} hint={texts.isDefaultHint} value={draft.is_default} onValue={(is_default) => set({ is_default })}
        />
        <Checkbox label={texts.enabled} hint={texts.enabledHint} value={draft.enabled} onValue={(enabled) => set({ enabled })} />
      </fieldset>
      <Events events={draft.events} onEvents={(events) => set({ events })} error={fieldErrors.at('events')} />
      <ConditionFields draft={draft} set={set} fieldErrors={fieldErrors} />
      <TryIt
        input={rehearsalOf(draft, forms[draft.type])} text={rehearsalTexts.destinationText}
        preferredIds={draft.filter.monitor_ids}
      />
      <ErrorNote error={error} />
      <div class="form-foot"><Button type="submit" variant="primary" isBusy={isBusy}>{submitLabel}</Button></div>
    </form>
  );
}

/** A field of the type's config. A masked secret stays as it is unless the user replaces it. */
function ConfigField({ field, draft, set, error }: {
  field: FormField; draft: Draft; set: (part: Partial<Draft>) => void; error: string | undefined;
}) {
  const { name, kind, isRequired, options = [] } = field;
  const key = `${draft.type}.${name}`;
  const hint = formText(`${key} help`);
  const common = {
    label: formText(key), ...(hint === '' ? {} : { hint }), isOptional: !isRequired && kind !== 'select',
    value: draft.values[name] ?? '', onValue: (value: string) => set({ values: { ...draft.values, [name]: value } }),
    error,
  };
  const limits = field.maxLength === undefined ? {} : { maxLength: field.maxLength };
  const rest = { required: isRequired, spellcheck: false, ...limits };
  switch (kind) {
    case 'select': return <SelectField {...common} options={options.map((option) => [option, option] as const)} />;
    case 'list': case 'headers': case 'area': return (
      <TextArea {...common} {...rest} rows={3} placeholder={kind === 'headers' ? 'Authorization: Bearer …' : ''} />
    );
    case 'number': return (
      <TextField {...common} {...rest} type="number" {...(field.minimum === undefined ? {} : { min: field.minimum, max: field.maximum ?? 1e9 })} />
    );
    case 'url': return <TextField {...common} {...rest} type="url" placeholder="https://" />;
    default: return <TextField {...common} {...rest} autocomplete="off" />;
  }
}

function Events({ events, onEvents, error }: {
  events: readonly AlertEvent[]; onEvents: (events: readonly AlertEvent[]) => void; error: string | undefined;
}) {
  return (
    <fieldset>
      <legend>{texts.events}</legend>
      <FieldError message={error} />
      <div class="event-groups">
        {(Object.keys(EVENT_GROUPS) as (keyof typeof EVENT_GROUPS)[]).map((group) => (
          <div key={group} class="event-group" role="group" aria-label={texts[group]}>
            <strong aria-hidden="true">{texts[group]}</strong>
            {EVENT_GROUPS[group].map((event) => (
              <Checkbox
                key={event} label={texts[event]} value={events.includes(event)}
                onValue={(isOn) => onEvents(isOn ? [...events, event] : events.filter((one) => one !== event))}
              />
            ))}
          </div>
        ))}
      </div>
    </fieldset>
  );
}
