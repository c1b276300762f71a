import { useState } from 'preact/hooks';
import { editingTexts } from '../texts/editing.ts';
import { fieldHints, fieldLabels } from '../texts/monitor-fields.ts';
import { Checkbox, NumberField, SelectField, TextArea, TextField } from '../ui/field.tsx';
import { durationText, numberText } from '../ui/time.tsx';
import { fieldDefinition, type Path } from './fields.ts';
import { useFormField } from './form-context.ts';
import { rules, type FieldRule } from './rules.ts';

type FieldProps = { path: Path };

/** A number with its unit; the limits come from the API. */
export function AutoNumberField({ path }: FieldProps) {
  const { value, set, error } = useFormField<number | null>(path);
  const { minimum: min, maximum: max, unit } = rules[path] ?? {};
  const isOptional = fieldDefinition(path).value === null && fieldDefinition(path).isRequired !== true;
  const limits = { ...(min === undefined ? {} : { min }), ...(max === undefined ? {} : { max }) };
  const durationHint = unit === 's' && value !== null && value >= 60 ? `${durationText(value)} · ` : '';
  return (
    <NumberField
      {...limits} label={fieldLabels[path]} hint={`${durationHint}${hintOf(path)}`} error={error} value={value} onValue={set} step={1}
      isOptional={isOptional} required={!isOptional} {...(unit === undefined ? {} : { unit: editingTexts[unit] })}
    />
  );
}

export function AutoTextField({ path, placeholder, isRequired = false }: FieldProps & { placeholder?: string; isRequired?: boolean }) {
  const { value, set, error } = useFormField<string>(path);
  const { maxLength } = rules[path] ?? {};
  // The hint explains what happens without a name, which is irrelevant if it is required.
  const hint = isRequired && path === 'name' ? undefined : hintOf(path);
  return (
    <TextField
      label={fieldLabels[path]} hint={hint} error={error} value={value} onValue={set} required={isRequired} spellcheck={false}
      isOptional={!isRequired} autocomplete="off" {...(maxLength === undefined ? {} : { maxLength })} {...(placeholder === undefined ? {} : { placeholder })}
    />
  );
}

export function AutoTextArea({ path }: FieldProps) {
  const { value, set, error } = useFormField<string>(path);
  const { maxLength } = rules[path] ?? {};
  return (
    <TextArea
      label={fieldLabels[path]} hint={hintOf(path)} error={error} value={value} onValue={set} isOptional spellcheck={false}
      {...(maxLength === undefined ? {} : { maxLength })}
    />
  );
}

/** A select with the API's values. `texts` explains values that need it. */
export function AutoSelectField(
  { path, texts = {}, noneLabel }: FieldProps & { texts?: Readonly<Record<string, string>>; noneLabel?: string },
) {
  const { value, set, error } = useFormField<string>(path);
  const values = rules[path]?.enum ?? [];
  const options = values.map((one) => [one, texts[one] ?? one] as const);
  return (
    <SelectField
      label={fieldLabels[path]} hint={hintOf(path)} error={error} value={value} onValue={set}
      options={noneLabel === undefined ? options : [['', noneLabel] as const, ...options]}
    />
  );
}

export function AutoCheckbox({ path }: FieldProps) {
  const { value, set } = useFormField<boolean>(path);
  return <Checkbox label={fieldLabels[path]} hint={hintOf(path)} value={value} onValue={set} />;
}

/** A list in one line, separated by commas. Keeps the text exactly as typed. */
export function AutoListField({ path, isNumbers = false }: FieldProps & { isNumbers?: boolean }) {
  const { value, set, error } = useFormField<readonly (string | number)[]>(path);
  const [typed, setTyped] = useState(value.join(', '));
  const onValue = (text: string) => {
    setTyped(text);
    const parts = text.split(',').map((part) => part.trim()).filter(Boolean);
    set(isNumbers ? parts.map(Number) : parts);
  };
  return <TextField label={fieldLabels[path]} hint={hintOf(path)} error={error} value={typed} onValue={onValue} isOptional autocomplete="off" />;
}

/** The field's explanation, followed by its limits and default from the API's schema. */
export function hintOf(path: Path): string | undefined {
  const hint = [fieldHints[path], ...limitsText(rules[path] ?? {})].filter(Boolean).join(' ');
  return hint === '' ? undefined : hint;
}

function limitsText({ minimum, maximum, maxItems, maxProperties, unit, default: defaults = [] }: FieldRule): string[] {
  const suffix = unit === undefined ? '' : ` ${editingTexts[unit]}`;
  const maxEntries = maxItems ?? maxProperties;
  const numbers = [defaults].flat().filter((one) => typeof one === 'number').map((one) => numberText(one));
  return [
    maximum === undefined ? '' : rangeText(minimum, maximum, suffix),
    maxEntries === undefined ? '' : editingTexts.maxEntries(numberText(maxEntries)),
    numbers.length === 0 ? '' : editingTexts.defaultValue(`${numbers.join(', ')}${suffix}`),
  ];
}

function rangeText(minimum: number | undefined, maximum: number, suffix: string): string {
  const upperLimit = `${numberText(maximum)}${suffix}`;
  return minimum === undefined ? editingTexts.upTo(upperLimit) : editingTexts.range(numberText(minimum), upperLimit);
}
