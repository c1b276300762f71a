import { useState } from 'preact/hooks';
import { DueTimes } from '../ui/due-times.tsx';
import { editingTexts } from '../texts/editing.ts';
import { fieldLabels } from '../texts/monitor-fields.ts';
import { SelectField } from '../ui/field.tsx';
import { TimeZoneField } from '../ui/time-zone-field.tsx';
import { AutoNumberField, AutoTextField } from './auto-field.tsx';
import { useFormField } from './form-context.ts';

const EXAMPLE = '30 3 * * *';

/** When pings are due: at an interval, or by a schedule with a preview of its next due times. */
export function HeartbeatFields() {
  const { value: schedule, set: setSchedule } = useFormField<string>('heartbeat_schedule');
  const { value: timezone, set: setTimezone, error } = useFormField<string>('heartbeat_timezone');
  const [isScheduled, setScheduled] = useState(schedule !== '');
  const choose = (kind: 'interval' | 'schedule') => {
    setScheduled(kind === 'schedule');
    setSchedule(kind === 'schedule' ? EXAMPLE : '');
    if (kind === 'schedule') setTimezone(Intl.DateTimeFormat().resolvedOptions().timeZone);
  };
  return (
    <>
      <div class="fields">
        <SelectField
          label={editingTexts.pingsDue} value={isScheduled ? 'schedule' : 'interval'} onValue={choose}
          options={[['interval', editingTexts.atInterval], ['schedule', editingTexts.bySchedule]]}
        />
        {!isScheduled && <AutoNumberField path="heartbeat_interval" />}
        <AutoNumberField path="grace_period" />
      </div>
      {isScheduled && (
        <>
          <div class="fields">
            <AutoTextField path="heartbeat_schedule" placeholder={EXAMPLE} isRequired />
            <TimeZoneField label={fieldLabels.heartbeat_timezone} error={error} value={timezone} onValue={setTimezone} />
          </div>
          <DueTimes cron={schedule} timezone={timezone} />
        </>
      )}
    </>
  );
}
