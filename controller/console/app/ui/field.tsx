import type { ComponentChildren, JSX } from 'preact';
import { useId } from 'preact/hooks';
import { shellTexts } from '../texts/shell.ts';

export interface FieldProps {
  label: ComponentChildren;
  /** Explanation, unit and limits. */
  hint?: ComponentChildren;
  error?: string | undefined;
  isOptional?: boolean;
}

type ControlProps = { id: string; 'aria-describedby': string | undefined; 'aria-invalid': boolean | undefined };

/** A labeled control with its hint and error. */
export function Field(
  { label, hint, error, isOptional = false, children }: FieldProps & { children: (controlProps: ControlProps) => ComponentChildren },
) {
  const id = useId();
  const [hintId, errorId] = [`${id}-hint`, `${id}-error`];
  const described = [hint === undefined ? '' : hintId, error === undefined ? '' : errorId].filter(Boolean).join(' ');
  return (
    <div class={`field ${error === undefined ? '' : 'wrong'}`}>
      <label for={id}>{label}{isOptional && <span class="faint"> ({shellTexts.optional})</span>}</label>
      {children({ id, 'aria-describedby': described || undefined, 'aria-invalid': error === undefined ? undefined : true })}
      {hint !== undefined && <p class="hint" id={hintId}>{hint}</p>}
      <FieldError message={error} id={errorId} />
    </div>
  );
}

/** A field's error message, below the field. */
export function FieldError({ message, id }: { message: string | undefined; id?: string }) {
  return message === undefined ? null : <p class="error-text" id={id} role="alert">{message}</p>;
}

type Control<T> = FieldProps & { value: T; onValue: (value: T) => void };
type Rest<E extends EventTarget> = Omit<JSX.HTMLAttributes<E>, 'value' | 'label' | 'onInput' | 'onChange'>;
type InputRest = Rest<HTMLInputElement> & {
  type?: string; autocomplete?: string; required?: boolean; min?: number; max?: number; minLength?: number;
  maxLength?: number; placeholder?: string; pattern?: string; step?: number; disabled?: boolean; name?: string;
  inputMode?: string; spellcheck?: boolean; list?: string; readOnly?: boolean;
};

export function TextField({ label, hint, error, isOptional, value, onValue, type = 'text', ...rest }: Control<string> & InputRest) {
  return (
    <Field label={label} hint={hint} error={error} isOptional={isOptional ?? false}>
      {(controlProps) => (
        <input
          {...(rest as JSX.HTMLAttributes<HTMLInputElement>)} {...controlProps} type={type} value={value}
          onInput={({ currentTarget }) => onValue(currentTarget.value)}
        />
      )}
    </Field>
  );
}

/** Whole numbers; null if it is empty or not a number. */
export function NumberField(
  { label, hint, error, isOptional, value, onValue, unit, ...rest }: Control<number | null> & InputRest & { unit?: string },
) {
  return (
    <Field label={label} hint={hint} error={error} isOptional={isOptional ?? false}>
      {(controlProps) => (
        <span class="with-unit">
          <input
            {...(rest as JSX.HTMLAttributes<HTMLInputElement>)} {...controlProps} type="number" value={value ?? ''}
            onInput={({ currentTarget }) => {
              const { valueAsNumber } = currentTarget;
              onValue(Number.isNaN(valueAsNumber) ? null : valueAsNumber);
            }}
          />
          {unit !== undefined && <span class="unit">{unit}</span>}
        </span>
      )}
    </Field>
  );
}

type AreaRest = Rest<HTMLTextAreaElement> & {
  rows?: number; maxLength?: number; placeholder?: string; required?: boolean; spellcheck?: boolean; disabled?: boolean;
};

export function TextArea({ label, hint, error, isOptional, value, onValue, ...rest }: Control<string> & AreaRest) {
  return (
    <Field label={label} hint={hint} error={error} isOptional={isOptional ?? false}>
      {(controlProps) => (
        <textarea
          {...(rest as JSX.HTMLAttributes<HTMLTextAreaElement>)} {...controlProps} value={value}
          onInput={({ currentTarget }) => onValue(currentTarget.value)}
        />
      )}
    </Field>
  );
}

type Options<T extends string> = { options: readonly (readonly [T, string])[]; disabled?: boolean };

export function SelectField<T extends string>(
  { label, hint, error, isOptional, value, onValue, options, ...rest }: Control<T> & Options<T>,
) {
  return (
    <Field label={label} hint={hint} error={error} isOptional={isOptional ?? false}>
      {(controlProps) => (
        <select {...rest} {...controlProps} value={value} onChange={({ currentTarget }) => onValue(currentTarget.value as T)}>
          {options.map(([name, text]) => <option key={name} value={name}>{text}</option>)}
        </select>
      )}
    </Field>
  );
}

export function Checkbox({ label, hint, value, onValue, disabled }: {
  label: ComponentChildren; hint?: ComponentChildren; value: boolean; onValue: (value: boolean) => void; disabled?: boolean;
}) {
  const id = useId();
  return (
    <div class="checkbox">
      <input
        id={id} type="checkbox" checked={value} {...(disabled === undefined ? {} : { disabled })}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        onChange={({ currentTarget }) => onValue(currentTarget.checked)}
      />
      <label for={id}>{label}</label>
      {hint !== undefined && <p class="hint" id={`${id}-hint`}>{hint}</p>}
    </div>
  );
}
