import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Draft, Path } from './fields.ts';

interface FormValues {
  draft: Draft;
  set: (path: Path, value: unknown) => void;
  /** What the API has against fields, by their path; also by paths inside them. */
  faults: Readonly<Record<string, string>>;
}

export const FormContext = createContext<FormValues | null>(null);

/** One field of the form that is around. */
export function useFormField<T>(path: Path): { value: T; set: (value: T) => void; error: string | undefined } {
  const form = useContext(FormContext);
  if (form === null) throw new Error('There is no form');
  const within = Object.keys(form.faults).find((one) => one === path || one.startsWith(`${path}.`));
  const error = within === undefined ? undefined : form.faults[within];
  return { value: form.draft[path] as T, set: (value) => form.set(path, value), error };
}
