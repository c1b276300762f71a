import { maintenanceTexts as texts } from '../texts/maintenance.ts';
import { NumberField, SelectField, TextField } from '../ui/field.tsx';
import { nthText, weekdayText } from './recurrence-text.ts';
import { FREQUENCIES, WEEKDAYS, type Recurrence, type Weekday } from './recurrence.ts';

interface Props {
  value: Recurrence;
  /** Local start of the first occurrence, from which suggestions are derived. */
  from: string;
  onValue: (value: Recurrence) => void;
  error?: string | undefined;
}

/** Common recurrences as choices, or a custom rule. */
export function RecurrenceFields({ value, from, onValue, error }: Props) {
  const kinds = ['once', ...FREQUENCIES, 'custom'] as const;
  const choose = (kind: (typeof kinds)[number]) => {
    if (kind === 'once') onValue({ kind });
    else if (kind === 'custom') onValue({ kind, rule: value.kind === 'custom' ? value.rule : 'FREQ=WEEKLY' });
    else onValue({ kind, every: 1, days: kind === 'WEEKLY' ? [weekdayOf(from)] : [], nth: null, count: null });
  };
  return (
    <>
      <div class="fields">
        <SelectField
          label={texts.repeat} value={value.kind} onValue={choose} error={value.kind === 'custom' ? undefined : error}
          options={kinds.map((kind) => [kind, texts[kind]] as const)}
        />
        {value.kind === 'custom' && (
          <TextField
            label={texts.rule} hint={texts.ruleHint} maxLength={200} required value={value.rule} error={error}
            onValue={(rule) => onValue({ kind: 'custom', rule })}
          />
        )}
        {value.kind !== 'custom' && value.kind !== 'once' && (
          <>
            <NumberField
              label={texts.every} hint={texts.everyHint} min={1} max={999} value={value.every}
              onValue={(every) => onValue({ ...value, every: every ?? 1 })}
            />
            <NumberField
              label={texts.times} isOptional min={1} max={99} value={value.count} onValue={(count) => onValue({ ...value, count })}
            />
          </>
        )}
        {value.kind === 'MONTHLY' && <MonthDay value={value} from={from} onValue={onValue} />}
      </div>
      {value.kind === 'WEEKLY' && <Weekdays chosen={value.days} onChosen={(days) => onValue({ ...value, days })} />}
    </>
  );
}

/** At least one stays chosen. */
export function Weekdays({ chosen, onChosen }: { chosen: readonly Weekday[]; onChosen: (days: Weekday[]) => void }) {
  const toggle = (day: Weekday) => {
    const days = chosen.includes(day) ? chosen.filter((one) => one !== day) : [...chosen, day];
    if (days.length > 0) onChosen(WEEKDAYS.filter((one) => days.includes(one)));
  };
  return (
    <div class="weekdays" role="group" aria-label={texts.weekdays}>
      {WEEKDAYS.map((day) => (
        <button
          key={day} type="button" class="button" aria-pressed={chosen.includes(day)}
          onClick={() => toggle(day)}
        ><span aria-hidden="true">{weekdayText(day, 'short')}</span><span class="hidden">{weekdayText(day)}</span></button>
      ))}
    </div>
  );
}

type Monthly = Extract<Recurrence, { every: number }>;

/** On the same day of the month, or on the same weekday of it. */
function MonthDay({ value, from, onValue }: { value: Monthly; from: string; onValue: (value: Recurrence) => void }) {
  const day = weekdayOf(from);
  const date = Number(from.slice(8, 10));
  const nth = Math.ceil(date / 7);
  const options: (readonly [string, string])[] = [
    ['', texts.monthDay(date)], ...(nth < 5 ? [[String(nth), nthText(nth, day)] as const] : []), ['-1', nthText(-1, day)],
  ];
  return (
    <SelectField
      label={texts.on} value={value.nth === null ? '' : String(value.nth)} options={options}
      onValue={(chosen) => onValue({ ...value, nth: chosen === '' ? null : Number(chosen), days: chosen === '' ? [] : [day] })}
    />
  );
}

function weekdayOf(local: string): Weekday {
  const day = new Date(`${local.slice(0, 10)}T00:00:00Z`).getUTCDay();
  return WEEKDAYS[(day + 6) % 7] ?? 'MO';
}
