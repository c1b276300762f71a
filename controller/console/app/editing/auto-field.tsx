import { useState } from 'preact/hooks';
import { editingTexts } from '../texts/editing.ts';
import { fieldHints, fieldLabels } from '../texts/monitor-fields.ts';
import { Checkbox, NumberField, SelectField, TextArea, TextField } from '../ui/field.tsx';
import { durationText, numberText } from '../ui/time.tsx';
import { factsOf, type Path } from './fields.ts';
import { useFormField } from './form-context.ts';
import { rules, type FieldRule } from './rules.ts';

type Of = { path: Path };

/** A number with its unit; its limits are those of the API. */
export function NumberOf({ path }: Of) {
  const { value, set, error } = useFormField<number | null>(path);
  const { minimum: min, maximum: max, unit } = rules[path] ?? {};
  const isOptional = factsOf(path).value === null && factsOf(path).isRequired !== true;
  const limits = { ...(min === undefined ? {} : { min }), ...(max === undefined ? {} : { max }) };
  const long = unit === 's' && value !== null && value >= 60 ? `${durationText(value)} · ` : '';
  return (
    <NumberField
      {...limits} label={fieldLabels[path]} hint={`${long}${hintOf(path)}`} error={error} value={value} onValue={set} step={1}
      isOptional={isOptional} required={!isOptional} {...(unit === undefined ? {} : { unit: editingTexts[unit] })}
    />
  );
}

export function TextOf({ path, placeholder, isRequired = false }: Of & { placeholder?: string; isRequired?: boolean }) {
  const { value, set, error } = useFormField<string>(path);
  const { maxLength } = rules[path] ?? {};
  // What happens without a name is nothing to those who need one.
  const hint = isRequired && path === 'name' ? undefined : hintOf(path);
  return (
    <TextField
      label={fieldLabels[path]} hint={hint} error={error} value={value} onValue={set} required={isRequired} spellcheck={false}
      isOptional={!isRequired} autocomplete="off" {...(maxLength === undefined ? {} : { maxLength })} {...(placeholder === undefined ? {} : { placeholder })}
    />
  );
}

export function AreaOf({ path }: Of) {
  const { value, set, error } = useFormField<string>(path);
  const { maxLength } = rules[path] ?? {};
  return (
    <TextArea
      label={fieldLabels[path]} hint={hintOf(path)} error={error} value={value} onValue={set} isOptional spellcheck={false}
      {...(maxLength === undefined ? {} : { maxLength })}
    />
  );
}

/** One of the values that the API knows, with texts for them where the API's word does not say it all. */
export function SelectOf({ path, texts = {}, none }: Of & { texts?: Readonly<Record<string, string>>; none?: string }) {
  const { value, set, error } = useFormField<string>(path);
  const known = rules[path]?.enum ?? [];
  const options = known.map((one) => [one, texts[one] ?? one] as const);
  return (
    <SelectField
      label={fieldLabels[path]} hint={hintOf(path)} error={error} value={value} onValue={set}
      options={none === undefined ? options : [['', none] as const, ...options]}
    />
  );
}

export function CheckOf({ path }: Of) {
  const { value, set } = useFormField<boolean>(path);
  return <Checkbox label={fieldLabels[path]} hint={hintOf(path)} value={value} onValue={set} />;
}

/** A list in one line, with commas between. What is typed stays as it is typed. */
export function ListOf({ path, isNumbers = false }: Of & { isNumbers?: boolean }) {
  const { value, set, error } = useFormField<readonly (string | number)[]>(path);
  const [typed, setTyped] = useState(value.join(', '));
  const onValue = (text: string) => {
    setTyped(text);
    const parts = text.split(',').map((part) => part.trim()).filter(Boolean);
    set(isNumbers ? parts.map(Number) : parts);
  };
  return <TextField label={fieldLabels[path]} hint={hintOf(path)} error={error} value={typed} onValue={onValue} isOptional autocomplete="off" />;
}

/** What the field means, and what the API's schema says of it. */
export function hintOf(path: Path): string | undefined {
  const hint = [fieldHints[path], ...factsText(rules[path] ?? {})].filter(Boolean).join(' ');
  return hint === '' ? undefined : hint;
}

function factsText({ minimum, maximum, maxItems, maxProperties, unit, default: usual = [] }: FieldRule): string[] {
  const ending = unit === undefined ? '' : ` ${editingTexts[unit]}`;
  const most = maxItems ?? maxProperties;
  const numbers = [usual].flat().filter((one) => typeof one === 'number').map((one) => numberText(one));
  return [
    maximum === undefined ? '' : rangeText(minimum, maximum, ending),
    most === undefined ? '' : editingTexts.most(numberText(most)),
    numbers.length === 0 ? '' : editingTexts.usual(`${numbers.join(', ')}${ending}`),
  ];
}

function rangeText(minimum: number | undefined, maximum: number, ending: string): string {
  const most = `${numberText(maximum)}${ending}`;
  return minimum === undefined ? editingTexts.upTo(most) : editingTexts.range(numberText(minimum), most);
}
