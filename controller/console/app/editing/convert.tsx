import { useState } from 'preact/hooks';
import { ApiError } from '../api/api-error.ts';
import { unwrap, api } from '../api/client.ts';
import type { paths } from '../api/openapi.d.ts';
import { editingTexts } from '../texts/editing.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { Field, SelectField } from '../ui/field.tsx';
import { useForm } from '../ui/use-form.ts';

type Convert = paths['/api/import/convert']['post'];
type From = Convert['parameters']['query']['from'];
type Converted = Convert['responses']['200']['content']['application/json']['data'];
type Report = Converted['report'];

const MAX_FILE_BYTES = 64 * 1024 * 1024;
const MAX_SHOWN = 200;
const BADGES = { full: 'up', partial: 'degraded', skipped: 'down' } as const;

const toolsOf = (): [From, string][] => [
  ['kuma', 'Uptime Kuma'], ['gatus', 'Gatus'], ['uptimerobot', 'UptimeRobot'], ['betterstack', 'Better Stack'],
  ['healthchecks', 'Healthchecks'], ['blackbox', 'Prometheus, Blackbox exporter'], ['csv', editingTexts.table],
];

/** Converts a file of another tool, shows what becomes of each item, and passes on the document to import. */
export function ConvertForm({ onDocument }: { onDocument(text: string): void }) {
  const [from, setFrom] = useState<From>('kuma');
  const [file, setFile] = useState<File | null>(null);
  const [report, setReport] = useState<Report | null>(null);
  const form = useForm(async () => {
    setReport(null);
    if (file === null) return;
    const converted = await convert(from, file);
    onDocument(JSON.stringify(converted.document, null, 2));
    setReport(converted.report);
  });
  return (
    <details class="card">
      <summary>{editingTexts.fromTool}</summary>
      <form onSubmit={form.onSubmit}>
        <SelectField label={editingTexts.tool} value={from} onValue={setFrom} options={toolsOf()} />
        <Field label={editingTexts.toolFile} hint={editingTexts.toolFileHint}>
          {(own) => (
            <input {...own} type="file" required onChange={({ currentTarget }) => setFile(currentTarget.files?.[0] ?? null)} />
          )}
        </Field>
        <ErrorNote error={form.error} />
        <div class="form-foot"><Button type="submit" isBusy={form.isBusy}>{editingTexts.convert}</Button></div>
      </form>
      {report !== null && <ReportList report={report} />}
    </details>
  );
}

function ReportList({ report: { full, partial, skipped, items } }: { report: Report }) {
  const lossy = items.filter(({ result }) => result !== 'full');
  return (
    <>
      <p role="status"><strong>{editingTexts.reported(full, partial, skipped)}</strong> {editingTexts.checkDocument}</p>
      <ul class="import-list">
        {lossy.slice(0, MAX_SHOWN).map(({ name, result, notes }, at) => (
          <li key={at}>
            <span class={`state-badge ${BADGES[result]}`}>{editingTexts[result]}</span>
            <strong>{name}</strong>
            <span>{notes.join(' ')}</span>
          </li>
        ))}
      </ul>
      {lossy.length > MAX_SHOWN && <p class="faint">{editingTexts.furtherItems(lossy.length - MAX_SHOWN)}</p>}
    </>
  );
}

async function convert(from: From, file: File): Promise<Converted> {
  // The server would close the connection in the middle of it.
  if (file.size > MAX_FILE_BYTES) throw new ApiError({ code: 'BAD_REQUEST', message: editingTexts.fileTooLarge });
  return unwrap(api.POST('/api/import/convert', {
    params: { query: { from } }, headers: { 'Content-Type': 'application/octet-stream' },
    body: file.name, bodySerializer: () => file,
  }));
}
