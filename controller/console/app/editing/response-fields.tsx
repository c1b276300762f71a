import { editingTexts } from '../texts/editing.ts';
import { fieldLabels } from '../texts/monitor-fields.ts';
import { hintOf } from './auto-field.tsx';
import { useFormField } from './form-context.ts';
import { rules } from './rules.ts';
import { Rows } from './rows.tsx';

interface Keyword {
  text: string;
  should_contain: boolean;
}

interface SelectProps {
  name: string;
  value: string;
  options: readonly (readonly [string, string])[];
  onValue: (value: string) => void;
}

function Select({ name, value, options, onValue }: SelectProps) {
  return (
    <select aria-label={name} value={value} onChange={({ currentTarget }) => onValue(currentTarget.value)}>
      {options.map(([one, text]) => <option key={one} value={one}>{text}</option>)}
    </select>
  );
}

function TextInput({ name, value, placeholder, onValue }: Omit<SelectProps, 'options'> & { placeholder?: string }) {
  return (
    <input
      aria-label={name} placeholder={placeholder ?? name} value={value} spellcheck={false} autocomplete="off"
      onInput={({ currentTarget }) => onValue(currentTarget.value)}
    />
  );
}

/** Text that the response must or must not contain. */
export function KeywordsField() {
  const { value, set, error } = useFormField<Keyword[]>('keyword_config.keywords');
  return (
    <Rows
      label={fieldLabels['keyword_config.keywords']} hint={hintOf('keyword_config.keywords')} error={error} rows={value} onRows={set} minRows={1}
      newRow={{ text: '', should_contain: true }} maxRows={rules['keyword_config.keywords']?.maxItems ?? 1} addLabel={editingTexts.addKeyword}
    >
      {(row, change, at) => (
        <>
          <Select
            name={`${editingTexts.condition} ${at + 1}`} value={String(row.should_contain)}
            options={[['true', editingTexts.contains], ['false', editingTexts.containsNot]]}
            onValue={(text) => change({ ...row, should_contain: text === 'true' })}
          />
          <TextInput name={`${editingTexts.keyword} ${at + 1}`} placeholder={editingTexts.keyword} value={row.text} onValue={(text) => change({ ...row, text })} />
        </>
      )}
    </Rows>
  );
}

interface Assertion {
  source: string;
  property?: string | undefined;
  comparison: string;
  target?: string | number | undefined;
}

/** The values that the API accepts at this path, with their texts. */
function optionsOf(path: string, texts: object): [string, string][] {
  return (rules[path]?.enum ?? []).map((one) => [one, String((texts as Record<string, unknown>)[one] ?? one)]);
}

/** Further conditions on the response. */
export function AssertionsField() {
  const { value, set, error } = useFormField<Assertion[]>('assertions');
  return (
    <Rows
      label={fieldLabels.assertions} hint={hintOf('assertions')} error={error} rows={value} onRows={set} maxRows={rules['assertions']?.maxItems ?? 0}
      newRow={{ source: 'body', comparison: 'contains', target: '' }} addLabel={editingTexts.addAssertion}
    >
      {(row, change, at) => {
        const isExistenceCheck = row.comparison === 'exists' || row.comparison === 'absent';
        return (
          <>
            <Select
              name={`${editingTexts.source} ${at + 1}`} value={row.source} options={optionsOf('assertions.source', { body: editingTexts.body, header: editingTexts.header, json: editingTexts.json })}
              onValue={(source) => change({ ...row, source, property: source === 'body' ? undefined : row.property ?? '' })}
            />
            {row.source !== 'body' && (
              <TextInput
                name={`${editingTexts.property} ${at + 1}`} placeholder={row.source === 'json' ? '$.status' : 'Content-Type'} value={row.property ?? ''}
                onValue={(property) => change({ ...row, property })}
              />
            )}
            <Select
              name={`${editingTexts.comparison} ${at + 1}`} value={row.comparison} options={optionsOf('assertions.comparison', editingTexts)}
              onValue={(comparison) => {
                const needsNoTarget = comparison === 'exists' || comparison === 'absent';
                change({ ...row, comparison, target: needsNoTarget ? undefined : row.target ?? '' });
              }}
            />
            {!isExistenceCheck && <TextInput name={`${editingTexts.value} ${at + 1}`} placeholder={editingTexts.value} value={String(row.target ?? '')} onValue={(target) => change({ ...row, target })} />}
          </>
        );
      }}
    </Rows>
  );
}

interface RecordEntry {
  type: string;
  expected_values?: string[];
  match?: string;
}

/** Expected DNS records. */
export function RecordsField() {
  const { value, set, error } = useFormField<RecordEntry[]>('dns_config.record_entries');
  return (
    <Rows
      label={fieldLabels['dns_config.record_entries']} hint={hintOf('dns_config.record_entries')} error={error} rows={value} onRows={set} minRows={1}
      newRow={{ type: 'A', expected_values: [], match: 'contains' }} maxRows={rules['dns_config.record_entries']?.maxItems ?? 1} addLabel={editingTexts.addRecord}
    >
      {(row, change, at) => (
        <>
          <Select
            name={`${editingTexts.recordType} ${at + 1}`} value={row.type} options={optionsOf('dns_config.record_entries.type', {})}
            onValue={(type) => change({ ...row, type })}
          />
          <Select
            name={`${editingTexts.match} ${at + 1}`} value={row.match ?? 'contains'} options={optionsOf('dns_config.record_entries.match', { contains: editingTexts.matchAll, exact: editingTexts.matchExact, any: editingTexts.matchAny })}
            onValue={(match) => change({ ...row, match })}
          />
          <textarea
            aria-label={`${editingTexts.expected} ${at + 1}`} placeholder={editingTexts.expected} rows={Math.max(1, row.expected_values?.length ?? 0)} spellcheck={false}
            value={(row.expected_values ?? []).join('\n')}
            onChange={({ currentTarget }) => change({ ...row, expected_values: currentTarget.value.split('\n').map((line) => line.trim()).filter(Boolean) })}
          />
        </>
      )}
    </Rows>
  );
}
