import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { FieldErrors } from '../api/field-errors.ts';
import type { Draft, Path } from './fields.ts';

interface FormValues {
  draft: Draft;
  set: (path: Path, value: unknown) => void;
  /** Validation messages by field. */
  fieldErrors: FieldErrors;
}

export const FormContext = createContext<FormValues | null>(null);

/** A field of the surrounding form. Components that read `error` must show it. */
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
