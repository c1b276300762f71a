import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { FieldErrors } from '../api/field-errors.ts';
import type { Draft, Path } from './fields.ts';

interface FormValues {
  draft: Draft;
  set: (path: Path, value: unknown) => void;
  /** What the API has against fields. */
  fieldErrors: FieldErrors;
}

export const FormContext = createContext<FormValues | null>(null);

/** One field of the form that is around. Whoever reads `error` shows it. */
export function useFormField<T>(path: Path): { value: T; set: (value: T) => void; error: string | undefined } {
  const form = useContext(FormContext);
  if (form === null) throw new Error('There is no form');
  return {
    value: form.draft[path] as T, set: (value) => form.set(path, value),
    get error() {
      return form.fieldErrors.at(path);
    },
  };
}
