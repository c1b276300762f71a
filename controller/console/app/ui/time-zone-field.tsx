import { SelectField, type FieldProps } from './field.tsx';

const ZONES = ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')];

/** A stored zone that this browser does not know stays selectable. */
export function TimeZoneField({ value, ...rest }: FieldProps & { value: string; onValue: (value: string) => void }) {
  return <SelectField {...rest} value={value} options={[...new Set([value, ...ZONES])].map((zone) => [zone, zone] as const)} />;
}
