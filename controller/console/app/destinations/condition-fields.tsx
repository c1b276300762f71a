import type { FieldErrors } from '../api/field-errors.ts';
import { groupOptions, useGroups } from '../live/groups.ts';
import { Weekdays } from '../maintenance/recurrence-fields.tsx';
import { WEEKDAYS } from '../maintenance/recurrence.ts';
import { Choices, MonitorSelection } from '../maintenance/target-selection.tsx';
import { destinationTexts as texts } from '../texts/destinations.ts';
import { incidentTexts } from '../texts/incidents.ts';
import { Checkbox, NumberField, SelectField, TextField } from '../ui/field.tsx';
import { TimeZoneField } from '../ui/time-zone-field.tsx';
import { HoursWeek } from './hours-week.tsx';
import { DEFAULT_HOURS, SEVERITIES, type Draft } from './draft.ts';

interface Props {
  draft: Draft;
  set: (part: Partial<Draft>) => void;
  fieldErrors: FieldErrors;
}

const MAX_MINUTES = 1440;
const MIN_REMINDER_MINUTES = 5;

/** Which alerts a destination receives, and when. */
export function ConditionFields({ draft, set, fieldErrors }: Props) {
  return (
    <details class="conditions" open={hasConditions(draft)}>
      <summary>{texts.conditions}</summary>
      <FilterFields draft={draft} set={set} fieldErrors={fieldErrors} />
      <fieldset>
        <legend>{texts.timing}</legend>
        <div class="fields">
          <NumberField
            label={texts.delay} hint={texts.delayHint} unit={texts.minutes} min={0} max={MAX_MINUTES} isOptional
            value={draft.delay_minutes} onValue={(delay_minutes) => set({ delay_minutes })} error={fieldErrors.at('delay_minutes')}
          />
          <NumberField
            label={texts.reminder} hint={texts.reminderHint} unit={texts.minutes} min={MIN_REMINDER_MINUTES} max={MAX_MINUTES} isOptional
            value={draft.reminder_minutes} onValue={(reminder_minutes) => set({ reminder_minutes })}
            error={fieldErrors.at('reminder_minutes')}
          />
        </div>
        <SelectField
          label={texts.grouping} hint={texts.groupingHint} value={draft.grouping ?? ''} error={fieldErrors.at('grouping')}
          onValue={(chosen) => set({ grouping: chosen === '' ? null : chosen })} options={[['', texts.groupingDefault], ['auto', texts.oneForAll], ['off', texts.oneForEach]]}
        />
        <Checkbox
          label={texts.hours} hint={texts.hoursHint} value={draft.hours !== null}
          onValue={(isOn) => set({ hours: isOn ? DEFAULT_HOURS : null })}
        />
        <HoursFields draft={draft} set={set} fieldErrors={fieldErrors} />
      </fieldset>
    </details>
  );
}

function hasConditions({ filter, hours, delay_minutes, reminder_minutes }: Draft): boolean {
  const isFiltered = filter.tags !== '' || [filter.group_ids, filter.monitor_ids, filter.severities].some((list) => list.length > 0);
  return isFiltered || hours !== null || delay_minutes !== null || reminder_minutes !== null;
}

function FilterFields({ draft: { filter }, set, fieldErrors }: Props) {
  const groups = groupOptions(useGroups()).map(([id, name]) => ({ id, name }));
  const change = (part: Partial<Draft['filter']>) => set({ filter: { ...filter, ...part } });
  const { severities } = filter;
  return (
    <fieldset>
      <legend>{texts.filter}</legend>
      <p class="hint">{texts.filterHint}</p>
      <TextField
        label={texts.tags} hint={texts.tagsHint} isOptional value={filter.tags} onValue={(tags) => change({ tags })}
        error={fieldErrors.at('filter.tags')}
      />
      <div role="group" aria-label={texts.severities}>
        <p class="rows-label" aria-hidden="true">{texts.severities}</p>
        {SEVERITIES.map((severity) => (
          <Checkbox
            key={severity} label={incidentTexts[severity]} value={severities.includes(severity)}
            onValue={(isOn) => change({ severities: SEVERITIES.filter((one) => (one === severity ? isOn : severities.includes(one))) })}
          />
        ))}
      </div>
      <div role="group" aria-label={texts.groups}>
        <p class="rows-label" aria-hidden="true">{texts.groups}</p>
        <Choices choices={groups} selected={filter.group_ids} onSelect={(ids) => change({ group_ids: ids })} emptyText={texts.noGroups} />
      </div>
      <div role="group" aria-label={texts.monitors}>
        <p class="rows-label" aria-hidden="true">{texts.monitors}</p>
        <MonitorSelection selected={filter.monitor_ids} onSelect={(ids) => change({ monitor_ids: ids })} />
      </div>
    </fieldset>
  );
}

function HoursFields({ draft: { hours }, set, fieldErrors }: Props) {
  if (hours === null) return null;
  const change = (part: Partial<typeof hours>) => set({ hours: { ...hours, ...part } });
  return (
    <>
      <Weekdays
        chosen={hours.days.flatMap((day) => WEEKDAYS[day - 1] ?? [])}
        onChosen={(days) => change({ days: days.map((day) => WEEKDAYS.indexOf(day) + 1) })}
      />
      <div class="fields">
        <TextField
          label={texts.hoursFrom} type="time" required value={hours.from} onValue={(from) => change({ from })}
          error={fieldErrors.at('hours.from')}
        />
        <TextField
          label={texts.hoursTo} type="time" required value={hours.to} onValue={(to) => change({ to })}
          error={fieldErrors.at('hours.to')}
        />
        <TimeZoneField label={texts.timeZone} value={hours.timezone} onValue={(timezone) => change({ timezone })} />
        <SelectField
          label={texts.outside} value={hours.outside} onValue={(outside) => change({ outside })}
          options={[['hold', texts.hold], ['drop', texts.drop]] as const}
        />
      </div>
      <HoursWeek hours={hours} />
    </>
  );
}
