import { useState } from 'preact/hooks';
import { editingTexts } from '../texts/editing.ts';
import { fieldLabels } from '../texts/monitor-fields.ts';
import { SelectField, TextField } from '../ui/field.tsx';
import { hintOf } from './auto-field.tsx';
import { useFormField } from './form-context.ts';
import { Rows } from './rows.tsx';
import { rules } from './rules.ts';
import { parseStatusText, statusText } from './typed-text.ts';

type Headers = Record<string, string>;

export function HeadersField() {
  const { value, set, error } = useFormField<Headers>('headers');
  const [rows, setRows] = useState(() => Object.entries(value));
  const onRows = (changed: [string, string][]) => {
    setRows(changed);
    set(Object.fromEntries(changed.map(([name, text]) => [name.trim(), text] as const).filter(([name]) => name !== '')));
  };
  return (
    <Rows
      label={fieldLabels.headers} hint={hintOf('headers')} error={error} rows={rows} onRows={onRows}
      newRow={['', '']} maxRows={rules['headers']?.maxProperties ?? 1} addLabel={editingTexts.addHeader}
    >
      {([name, text], change, at) => (
        <>
          <input aria-label={`${editingTexts.headerName} ${at + 1}`} placeholder={editingTexts.headerName} value={name} spellcheck={false} autocomplete="off" onInput={({ currentTarget }) => change([currentTarget.value, text])} />
          <input
            aria-label={`${editingTexts.value} ${at + 1}`} value={text} placeholder={editingTexts.value} spellcheck={false}
            autocomplete="off" onInput={({ currentTarget }) => change([name, currentTarget.value])}
          />
        </>
      )}
    </Rows>
  );
}

type Auth = null | { type: 'basic'; username: string; password: string } | { type: 'bearer'; token: string };
const EMPTY_AUTH: Record<string, Auth> = {
  none: null, basic: { type: 'basic', username: '', password: '' }, bearer: { type: 'bearer', token: '' },
};

/** Authentication of the request. */
export function AuthField() {
  const { value, set, error } = useFormField<Auth>('auth');
  const kinds = [['none', editingTexts.noAuth], ['basic', editingTexts.basic], ['bearer', editingTexts.bearer]] as const;
  return (
    <div class="fields">
      <SelectField
        label={fieldLabels.auth} hint={hintOf('auth')} error={error} value={value?.type ?? 'none'} options={kinds}
        onValue={(kind) => set(EMPTY_AUTH[kind] ?? null)}
      />
      {value?.type === 'basic' && (
        <>
          <TextField
            label={editingTexts.username} value={value.username} autocomplete="off"
            onValue={(username) => set({ ...value, username })}
          />
          <TextField
            label={editingTexts.password} type="password" value={value.password} autocomplete="new-password"
            onValue={(password) => set({ ...value, password })}
          />
        </>
      )}
      {value?.type === 'bearer' && (
        <TextField
          label={editingTexts.token} type="password" value={value.token} autocomplete="new-password"
          onValue={(token) => set({ ...value, token })}
        />
      )}
    </div>
  );
}

/** Codes and ranges in one line. */
export function StatusField() {
  const codes = useFormField<number[]>('expected_status');
  const ranges = useFormField<string[]>('expected_status_ranges');
  const [typed, setTyped] = useState(() => statusText(codes.value, ranges.value));
  return (
    <TextField
      label={fieldLabels.expected_status} hint={hintOf('expected_status')} error={codes.error ?? ranges.error} value={typed} isOptional
      placeholder="200-299, 404, 5xx" autocomplete="off"
      onValue={(text) => {
        setTyped(text);
        const parsed = parseStatusText(text);
        codes.set(parsed.codes);
        ranges.set(parsed.ranges);
      }}
    />
  );
}
