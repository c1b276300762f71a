import { useMutation } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { ApiError } from '../api/api-error.ts';
import { answer, api } from '../api/client.ts';
import { pageTexts as texts } from '../texts/pages.ts';
import { shellTexts } from '../texts/shell.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { Checkbox, NumberField, SelectField, TextArea, TextField } from '../ui/field.tsx';
import { toast } from '../ui/toast.tsx';
import { useUnsaved } from '../ui/unsaved.ts';
import { orNull } from './page-draft.ts';
import { pageChanged, pagePath, type StatusPage } from './reading.ts';

const TIMEFRAMES = ['24h', '7d', '30d', '90d'] as const;
const SEVERITIES = ['critical', 'major', 'minor'] as const;
const ZONES = ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')];

function settingsOf({
  name, description, timezone, show_uptime_percentage, show_response_time, uptime_timeframes, incident_history_days,
  maintenance_affects_uptime, allow_search_indexing, auto_publish_enabled, auto_publish_severities,
}: StatusPage) {
  return {
    name, description: description ?? '', timezone, show_uptime_percentage, show_response_time, uptime_timeframes,
    incident_history_days: incident_history_days as number | null, maintenance_affects_uptime, allow_search_indexing,
    auto_publish_enabled, auto_publish_severities,
  };
}

/** What a page says, and which incidents it tells by itself. */
export function PageSettings({ page }: { page: StatusPage }) {
  const [start, setStart] = useState(() => settingsOf(page));
  const [draft, setDraft] = useState(start);
  const set = (part: Partial<typeof draft>) => setDraft({ ...draft, ...part });
  const save = useMutation({
    mutationFn: () => answer(api.PUT('/api/projects/{projectId}/status-pages/{id}', {
      params: pagePath(page.id),
      body: { ...draft, description: orNull(draft.description), incident_history_days: draft.incident_history_days ?? 0 },
    })),
    onSuccess: (changed) => {
      pageChanged(changed);
      setStart(draft);
      toast(texts.saved);
    },
  });
  useUnsaved(!save.isPending && JSON.stringify(draft) !== JSON.stringify(start));
  const wrong = save.error instanceof ApiError ? save.error.fields : {};
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate();
      }}
    >
      <fieldset>
        <legend>{texts.settings}</legend>
        <TextField label={texts.name} required maxLength={100} value={draft.name} onValue={(name) => set({ name })} error={wrong['name']} />
        <TextArea
          label={texts.description} isOptional maxLength={1000} value={draft.description} onValue={(description) => set({ description })}
          error={wrong['description']}
        />
        <SelectField
          label={texts.timezone} value={draft.timezone} onValue={(timezone) => set({ timezone })}
          options={[...new Set([draft.timezone, ...ZONES])].map((zone) => [zone, zone] as const)}
        />
        <Checkbox
          label={texts.indexed} value={draft.allow_search_indexing} onValue={(allow_search_indexing) => set({ allow_search_indexing })}
        />
      </fieldset>
      <fieldset>
        <legend>{texts.shown}</legend>
        <Checkbox
          label={texts.uptime} value={draft.show_uptime_percentage} onValue={(show_uptime_percentage) => set({ show_uptime_percentage })}
        />
        <Several
          label={texts.timeframes} all={TIMEFRAMES} texts={(one) => one} chosen={draft.uptime_timeframes}
          onChosen={(uptime_timeframes) => set({ uptime_timeframes })}
        />
        <Checkbox
          label={texts.responseTimes} value={draft.show_response_time} onValue={(show_response_time) => set({ show_response_time })}
        />
        <Checkbox
          label={texts.maintenanceCounts} value={draft.maintenance_affects_uptime}
          onValue={(maintenance_affects_uptime) => set({ maintenance_affects_uptime })}
        />
        <NumberField
          label={texts.historyDays} unit={texts.days} required min={1} max={365} value={draft.incident_history_days}
          onValue={(incident_history_days) => set({ incident_history_days })} error={wrong['incident_history_days']}
        />
      </fieldset>
      <fieldset>
        <legend>{texts.automatic}</legend>
        <Checkbox
          label={texts.autoPublish} hint={texts.autoPublishHint} value={draft.auto_publish_enabled}
          onValue={(auto_publish_enabled) => set({ auto_publish_enabled })}
        />
        <Several
          label={texts.ofSeverity} all={SEVERITIES} texts={(one) => texts[one]} chosen={draft.auto_publish_severities}
          onChosen={(auto_publish_severities) => set({ auto_publish_severities })}
        />
      </fieldset>
      <ErrorNote error={save.error} />
      <div class="form-foot"><Button type="submit" variant="primary" isBusy={save.isPending}>{shellTexts.save}</Button></div>
    </form>
  );
}

function Several<T extends string>({ label, all, texts: textOf, chosen, onChosen }: {
  label: string; all: readonly T[]; texts: (one: T) => string; chosen: readonly T[]; onChosen: (chosen: T[]) => void;
}) {
  return (
    <div class="several" role="group" aria-label={label}>
      <span>{label}</span>
      {all.map((one) => (
        <Checkbox
          key={one} label={textOf(one)} value={chosen.includes(one)}
          onValue={(isOn) => onChosen(all.filter((each) => (each === one ? isOn : chosen.includes(each))))}
        />
      ))}
    </div>
  );
}
