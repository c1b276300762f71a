import type { FieldErrors } from '../api/field-errors.ts';
import { pageTexts as texts } from '../texts/pages.ts';
import { Checkbox, NumberField, TextArea, TextField } from '../ui/field.tsx';
import { TimeZoneField } from '../ui/time-zone-field.tsx';
import { settingsDraft, settingsInput, type SettingsDraft } from './page-draft.ts';
import { changePage, PageForm, usePageForm } from './page-form.tsx';
import type { StatusPage } from './page-queries.ts';

const TIMEFRAMES = ['24h', '7d', '30d', '90d'] as const;
const SEVERITIES = ['critical', 'major', 'minor'] as const;

interface SectionProps {
  draft: SettingsDraft;
  set: (part: Partial<SettingsDraft>) => void;
  fieldErrors: FieldErrors;
}

/** Texts of the page, and which incidents it posts automatically. */
export function PageSettings({ page }: { page: StatusPage }) {
  const form = usePageForm(() => settingsDraft(page), (draft) => changePage(page.id, settingsInput(draft)));
  const { draft, set, fieldErrors } = form;
  return (
    <PageForm form={form}>
      <fieldset>
        <legend>{texts.settings}</legend>
        <TextField label={texts.name} required maxLength={100} value={draft.name} onValue={(name) => set({ name })} error={fieldErrors.at('name')} />
        <TextArea
          label={texts.description} isOptional maxLength={1000} value={draft.description} onValue={(description) => set({ description })}
          error={fieldErrors.at('description')}
        />
        <TimeZoneField label={texts.timezone} value={draft.timezone} onValue={(timezone) => set({ timezone })} />
        <Checkbox
          label={texts.indexed} value={draft.allow_search_indexing} onValue={(allow_search_indexing) => set({ allow_search_indexing })}
        />
        <TextField
          label={texts.analytics} hint={texts.analyticsHint} isOptional spellcheck={false} autocomplete="off" placeholder="G-AB12CD34"
          value={draft.google_analytics_id} onValue={(google_analytics_id) => set({ google_analytics_id })} error={fieldErrors.at('google_analytics_id')}
        />
      </fieldset>
      <ShownFields draft={draft} set={set} fieldErrors={fieldErrors} />
      <fieldset>
        <legend>{texts.automatic}</legend>
        <Checkbox
          label={texts.autoPublish} hint={texts.autoPublishHint} value={draft.auto_publish_enabled}
          onValue={(auto_publish_enabled) => set({ auto_publish_enabled })}
        />
        <CheckboxGroup
          label={texts.ofSeverity} all={SEVERITIES} texts={(one) => texts[one]} chosen={draft.auto_publish_severities}
          onChosen={(auto_publish_severities) => set({ auto_publish_severities })}
        />
      </fieldset>
    </PageForm>
  );
}

function ShownFields({ draft, set, fieldErrors }: SectionProps) {
  const { uptime_thresholds: thresholds } = draft;
  const share = { unit: '%', required: true, min: 0, max: 100, step: 0.001 };
  return (
    <fieldset>
      <legend>{texts.shown}</legend>
      <Checkbox
        label={texts.uptime} value={draft.show_uptime_percentage} onValue={(show_uptime_percentage) => set({ show_uptime_percentage })}
      />
      <CheckboxGroup
        label={texts.timeframes} all={TIMEFRAMES} texts={(one) => texts[one]} chosen={draft.uptime_timeframes}
        onChosen={(uptime_timeframes) => set({ uptime_timeframes })}
      />
      <div class="fields">
        <NumberField
          {...share} label={texts.goodFrom} hint={texts.goodFromHint} value={thresholds.operational}
          onValue={(operational) => set({ uptime_thresholds: { ...thresholds, operational } })}
          error={fieldErrors.at('uptime_thresholds.operational') ?? fieldErrors.exactly('uptime_thresholds')}
        />
        <NumberField
          {...share} label={texts.fairFrom} hint={texts.fairFromHint} value={thresholds.degraded}
          onValue={(degraded) => set({ uptime_thresholds: { ...thresholds, degraded } })} error={fieldErrors.at('uptime_thresholds.degraded')}
        />
      </div>
      <Checkbox
        label={texts.responseTimes} value={draft.show_response_time} onValue={(show_response_time) => set({ show_response_time })}
      />
      <Checkbox
        label={texts.maintenanceCounts} value={draft.maintenance_affects_uptime}
        onValue={(maintenance_affects_uptime) => set({ maintenance_affects_uptime })}
      />
      <NumberField
        label={texts.historyDays} unit={texts.days} required min={1} max={365} value={draft.incident_history_days}
        onValue={(incident_history_days) => set({ incident_history_days })} error={fieldErrors.at('incident_history_days')}
      />
    </fieldset>
  );
}

function CheckboxGroup<T extends string>({ label, all, texts: textOf, chosen, onChosen }: {
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
