import { useMutation } from '@tanstack/preact-query';
import { useLocation } from 'preact-iso';
import { useState } from 'preact/hooks';
import { fieldsOf } from '../api/api-error.ts';
import { answer, api } from '../api/client.ts';
import { canEdit } from '../session/session.ts';
import { maintenanceTexts as texts } from '../texts/maintenance.ts';
import { Button, LinkButton } from '../ui/button.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { Checkbox, SelectField, TextArea, TextField } from '../ui/field.tsx';
import { href } from '../ui/link.ts';
import { toast } from '../ui/toast.tsx';
import { useUnsaved } from '../ui/unsaved.ts';
import { ChosenMonitors, ChosenPages } from './chosen.tsx';
import { NextTimes, useNextTimes } from './next-times.tsx';
import { RecurrenceFields } from './recurrence-fields.tsx';
import { draftOf, inputOf, moved, newWindowDraft, scheduleOf, type Draft } from './window-draft.ts';
import { projectId, windowsChanged, type Window } from './windows.ts';

const ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

function zones(): string[] {
  return [...new Set([ZONE, 'UTC', ...Intl.supportedValuesOf('timeZone')])];
}

export function WindowForm({ window }: { window: Window | null }) {
  const [first] = useState(() => (window === null ? newWindowDraft(Date.now(), ZONE) : draftOf(window)));
  const [draft, setDraft] = useState(first);
  const { route } = useLocation();
  const set = (change: Partial<Draft>) => setDraft({ ...draft, ...change });
  const saving = useMutation({
    mutationFn: () => {
      const body = inputOf(draft);
      const path = { projectId: projectId() };
      return window === null
        ? answer(api.POST('/api/projects/{projectId}/maintenance-windows', { params: { path }, body }))
        : answer(api.PATCH('/api/projects/{projectId}/maintenance-windows/{id}', { params: { path: { ...path, id: window.id } }, body }));
    },
    onSuccess: async () => {
      await windowsChanged();
      toast(texts.saved);
      route(href('/maintenance'));
    },
  });
  useUnsaved(!saving.isSuccess && JSON.stringify(draft) !== JSON.stringify(first));
  const nextTimes = useNextTimes(scheduleOf(draft));
  const [saved, previewed] = [fieldsOf(saving.error), fieldsOf(nextTimes.error)];
  const wrong = (path: string) => {
    const [first, second] = [saved.at(path), previewed.at(path)];
    return first ?? second;
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        saving.mutate();
      }}
    >
      <fieldset disabled={!canEdit.value}>
        <legend class="hidden">{texts.window}</legend>
        <TextField label={texts.name} required maxLength={200} value={draft.title} onValue={(title) => set({ title })} error={wrong('title')} />
        <TextArea
          label={texts.description} isOptional rows={2} maxLength={5000} value={draft.description}
          onValue={(description) => set({ description })} error={wrong('description')}
        />
        <div class="fields window-times">
          <TextField
            label={texts.starts} type="datetime-local" required value={draft.from} error={wrong('starts_at')}
            onValue={(from) => set({ from, to: moved(draft, from) })}
          />
          <TextField
            label={texts.ends} type="datetime-local" required value={draft.to} error={wrong('ends_at')} onValue={(to) => set({ to })}
          />
          <SelectField
            label={texts.zone} hint={texts.zoneHint} value={draft.timezone} onValue={(timezone) => set({ timezone })}
            options={zones().map((zone) => [zone, zone] as const)} error={wrong('timezone')}
          />
        </div>
        <RecurrenceFields value={draft.recurrence} from={draft.from} onValue={(recurrence) => set({ recurrence })} error={wrong('recurrence')} />
        <NextTimes of={nextTimes} />
      </fieldset>
      <fieldset disabled={!canEdit.value}>
        <legend>{texts.monitors}</legend>
        <ChosenMonitors chosen={draft.monitor_ids} onChosen={(monitor_ids) => set({ monitor_ids })} />
        <Checkbox
          label={texts.hold} hint={texts.holdHint} value={draft.suppress_alerts}
          onValue={(suppress_alerts) => set({ suppress_alerts })}
        />
      </fieldset>
      <fieldset disabled={!canEdit.value}>
        <legend>{texts.pages}</legend>
        <ChosenPages chosen={draft.status_page_ids} onChosen={(status_page_ids) => set({ status_page_ids })} />
      </fieldset>
      <ErrorNote error={saving.error} />
      {canEdit.value && (
        <div class="form-foot">
          <LinkButton href={href('/maintenance')}>{texts.cancel}</LinkButton>
          <Button type="submit" variant="primary" isBusy={saving.isPending}>{texts.save}</Button>
        </div>
      )}
    </form>
  );
}
