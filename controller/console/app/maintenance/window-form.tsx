import { useLocation } from 'preact-iso';
import { useState } from 'preact/hooks';
import { fieldErrorsOf } from '../api/api-error.ts';
import { unwrap, api } from '../api/client.ts';
import { canEdit } from '../api/session.ts';
import { maintenanceTexts as texts } from '../texts/maintenance.ts';
import { Button, LinkButton } from '../ui/button.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { Checkbox, SelectField, TextArea, TextField } from '../ui/field.tsx';
import { href } from '../ui/link.ts';
import { toast } from '../ui/toast.tsx';
import { useUnsaved } from '../ui/unsaved.ts';
import { useForm } from '../ui/use-form.ts';
import { MonitorSelection, PageSelection } from './target-selection.tsx';
import { NextTimes, useNextTimes } from './next-times.tsx';
import { RecurrenceFields } from './recurrence-fields.tsx';
import { draftOf, inputOf, endAfterMove, newWindowDraft, scheduleOf, type Draft } from './window-draft.ts';
import { projectId, invalidateWindows, type Window } from './windows.ts';

const ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

function zones(): string[] {
  return [...new Set([ZONE, 'UTC', ...Intl.supportedValuesOf('timeZone')])];
}

export function WindowForm({ window }: { window: Window | null }) {
  const [saved, setSaved] = useState(() => (window === null ? newWindowDraft(Date.now(), ZONE) : draftOf(window)));
  const [draft, setDraft] = useState(saved);
  const { route } = useLocation();
  const set = (change: Partial<Draft>) => setDraft({ ...draft, ...change });
  const { onSubmit, error, isBusy } = useForm(async () => {
    const body = inputOf(draft);
    const path = { projectId: projectId() };
    await (window === null
      ? unwrap(api.POST('/api/projects/{projectId}/maintenance-windows', { params: { path }, body }))
      : unwrap(api.PATCH('/api/projects/{projectId}/maintenance-windows/{id}', { params: { path: { ...path, id: window.id } }, body })));
    setSaved(draft);
    await invalidateWindows();
    toast(texts.saved);
    route(href('/maintenance'));
  });
  useUnsaved(JSON.stringify(draft) !== JSON.stringify(saved));
  const nextTimes = useNextTimes(scheduleOf(draft));
  const [saveErrors, previewErrors] = [fieldErrorsOf(error), fieldErrorsOf(nextTimes.error)];
  const errorAt = (path: string) => {
    const [saveError, previewError] = [saveErrors.at(path), previewErrors.at(path)];
    return saveError ?? previewError;
  };
  return (
    <form onSubmit={onSubmit}>
      <fieldset disabled={!canEdit.value}>
        <legend class="hidden">{texts.window}</legend>
        <TextField label={texts.name} required maxLength={200} value={draft.title} onValue={(title) => set({ title })} error={errorAt('title')} />
        <TextArea
          label={texts.description} isOptional rows={2} maxLength={5000} value={draft.description}
          onValue={(description) => set({ description })} error={errorAt('description')}
        />
        <div class="fields window-times">
          <TextField
            label={texts.starts} type="datetime-local" required value={draft.from} error={errorAt('starts_at')}
            onValue={(from) => set({ from, to: endAfterMove(draft, from) })}
          />
          <TextField
            label={texts.ends} type="datetime-local" required value={draft.to} error={errorAt('ends_at')} onValue={(to) => set({ to })}
          />
          <SelectField
            label={texts.zone} hint={texts.zoneHint} value={draft.timezone} onValue={(timezone) => set({ timezone })}
            options={zones().map((zone) => [zone, zone] as const)} error={errorAt('timezone')}
          />
        </div>
        <RecurrenceFields value={draft.recurrence} from={draft.from} onValue={(recurrence) => set({ recurrence })} error={errorAt('recurrence')} />
        <NextTimes query={nextTimes} />
      </fieldset>
      <fieldset disabled={!canEdit.value}>
        <legend>{texts.monitors}</legend>
        <MonitorSelection selected={draft.monitor_ids} onSelect={(monitor_ids) => set({ monitor_ids })} />
        <Checkbox
          label={texts.hold} hint={texts.holdHint} value={draft.suppress_alerts}
          onValue={(suppress_alerts) => set({ suppress_alerts })}
        />
      </fieldset>
      <fieldset disabled={!canEdit.value}>
        <legend>{texts.pages}</legend>
        <PageSelection selected={draft.status_page_ids} onSelect={(status_page_ids) => set({ status_page_ids })} />
      </fieldset>
      <ErrorNote error={error} />
      {canEdit.value && (
        <div class="form-foot">
          <LinkButton href={href('/maintenance')}>{texts.cancel}</LinkButton>
          <Button type="submit" variant="primary" isBusy={isBusy}>{texts.save}</Button>
        </div>
      )}
    </form>
  );
}
