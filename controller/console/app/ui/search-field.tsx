import { useEffect, useState } from 'preact/hooks';
import { TextField } from './field.tsx';

/** After the last key, before something is searched for. */
const SEARCH_AFTER_MS = 250;

/** A text to search for, told when whoever types it pauses. */
export function SearchField({ label, value, onValue, maxLength }: {
  label: string; value: string; onValue: (value: string) => void; maxLength: number;
}) {
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped(value), [value]);
  useEffect(() => {
    if (typed === value) return undefined;
    const timer = setTimeout(() => onValue(typed), SEARCH_AFTER_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  return <TextField label={label} type="search" maxLength={maxLength} value={typed} onValue={setTyped} />;
}
