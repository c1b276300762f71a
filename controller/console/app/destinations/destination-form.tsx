import { useState } from 'preact/hooks';
import { fieldErrorsOf } from '../api/api-error.ts';
import type { FieldErrors } from '../api/field-errors.ts';
import { destinationTexts as texts } from '../texts/destinations.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { Checkbox, FieldError, SelectField, TextArea, TextField } from '../ui/field.tsx';
import { useUnsaved } from '../ui/unsaved.ts';
import { EVENT_GROUPS, type AlertEvent, type Draft } from './draft.ts';

const MAX_NAME_LENGTH = 100;
const MAX_URL_LENGTH = 2048;

export function DestinationForm({ initial, submitLabel, error, isBusy, onSave }: {
  initial: Draft; submitLabel: string; error: unknown; isBusy: boolean; onSave: (draft: Draft) => void;
}) {
  const [draft, setDraft] = useState(initial);
  const set = (part: Partial<Draft>) => setDraft({ ...draft, ...part });
  useUnsaved(!isBusy && JSON.stringify(draft) !== JSON.stringify(initial));
  const fieldErrors = fieldErrorsOf(error);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onSave(draft);
      }}
    >
      <fieldset>
        <legend>{texts[draft.type]}</legend>
        <TextField
          label={texts.name} required maxLength={MAX_NAME_LENGTH} value={draft.name} onValue={(name) => set({ name })}
          error={fieldErrors.at('name')}
        />
        <Target draft={draft} set={set} fieldErrors={fieldErrors} />
        <Checkbox
          label={texts.isDefault} hint={texts.isDefaultHint} value={draft.is_default} onValue={(is_default) => set({ is_default })}
        />
        <Checkbox label={texts.enabled} hint={texts.enabledHint} value={draft.enabled} onValue={(enabled) => set({ enabled })} />
      </fieldset>
      <Events events={draft.events} onEvents={(events) => set({ events })} error={fieldErrors.at('events')} />
      <ErrorNote error={error} />
      <div class="form-foot"><Button type="submit" variant="primary" isBusy={isBusy}>{submitLabel}</Button></div>
    </form>
  );
}

/** The fields that differ by type. */
function Target({ draft, set, fieldErrors }: { draft: Draft; set: (part: Partial<Draft>) => void; fieldErrors: FieldErrors }) {
  if (draft.type === 'email') {
    return (
      <TextArea
        label={texts.recipients} hint={texts.recipientsHint} required spellcheck={false} rows={3}
        value={draft.recipients} onValue={(recipients) => set({ recipients })} error={fieldErrors.at('config.to')}
      />
    );
  }
  const isSlack = draft.type === 'slack';
  const address = (
    <TextField
      label={isSlack ? texts.slackUrl : texts.url} hint={isSlack ? texts.slackUrlHint : texts.urlHint} type="url" required
      maxLength={MAX_URL_LENGTH} spellcheck={false} placeholder={isSlack ? 'https://hooks.slack.com/services/…' : 'https://'}
      value={draft.url} onValue={(url) => set({ url })} error={fieldErrors.at(isSlack ? 'config.webhook_url' : 'config.url')}
    />
  );
  if (isSlack) return address;
  return (
    <>
      {address}
      <SelectField
        label={texts.method} value={draft.method} onValue={(method) => set({ method })} options={[['POST', 'POST'], ['PUT', 'PUT']]}
      />
      <TextArea
        label={texts.headers} hint={texts.headersHint} isOptional rows={3} spellcheck={false} placeholder="Authorization: Bearer …"
        value={draft.headers} onValue={(headers) => set({ headers })} error={fieldErrors.at('config.headers')}
      />
    </>
  );
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
