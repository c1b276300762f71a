import { useEffect, useRef, useState } from 'preact/hooks';
import { TextField } from './field.tsx';

const DEBOUNCE_MS = 250;

/** Server-side search: calls `onValue` once typing has paused. */
export function SearchField({ label, maxLength, value, onValue }: {
  label: string; maxLength: number; value: string; onValue: (value: string) => void;
}) {
  const [typed, setTyped] = useState(value);
  const reported = useRef(value);
  const latest = useRef(onValue);
  latest.current = onValue;
  useEffect(() => {
    // Only outside changes, such as back navigation, replace what the user is typing.
    if (value !== reported.current) setTyped(value);
    reported.current = value;
  }, [value]);
  useEffect(() => {
    if (typed === reported.current) return undefined;
    const timer = setTimeout(() => {
      reported.current = typed;
      latest.current(typed);
    }, DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  return <TextField label={label} type="search" maxLength={maxLength} value={typed} onValue={setTyped} />;
}
