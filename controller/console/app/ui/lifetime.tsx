import { lifetimeTexts as texts } from '../texts/lifetime.ts';
import { SelectField } from './field.tsx';
import { Time, timeOf } from './time.tsx';

const DAY_MS = 86_400_000;
const LIFETIMES_DAYS = [1, 7, 30, 90, 365];

/** Days as text; empty: unlimited. */
export type Lifetime = string;
export const UNLIMITED: Lifetime = '';

/** The `expires_at` of a credential that is created now. */
export function expiryOf(days: Lifetime): string | null {
  return days === UNLIMITED ? null : new Date(Date.now() + Number(days) * DAY_MS).toISOString();
}

export function LifetimeField({ value, onValue, error }: {
  value: Lifetime; onValue: (value: Lifetime) => void; error: string | undefined;
}) {
  return (
    <SelectField
      label={texts.expires} value={value} onValue={onValue} error={error}
      options={[[UNLIMITED, texts.never], ...LIFETIMES_DAYS.map((one) => [String(one), texts.inDays(one)] as const)]}
    />
  );
}

/** When a credential expires, and whether it has. */
export function Expiry({ at }: { at: string | null }) {
  if (at === null) return <>{texts.never}</>;
  return <><Time at={at} format="minute" />{timeOf(at) <= Date.now() && ` (${texts.expired})`}</>;
}
