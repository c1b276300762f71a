import { useQueryClient } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { unwrap, api } from '../api/client.ts';
import type { paths } from '../api/openapi.d.ts';
import { canEdit } from '../api/session.ts';
import { editingTexts } from '../texts/editing.ts';
import { fieldLabels } from '../texts/monitor-fields.ts';
import { shellTexts } from '../texts/shell.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { Field, TextArea } from '../ui/field.tsx';
import { Page, Section } from '../ui/page.tsx';
import { toast, toastError } from '../ui/toast.tsx';
import { useForm } from '../ui/use-form.ts';
import { ChangesTable } from './changes-table.tsx';
import { ConvertForm } from './convert.tsx';
import { changeOf } from './import-change.ts';

type ImportResult = paths['/api/import']['post']['responses']['200']['content']['application/json']['data'];
const KINDS = ['groups', 'integrations', 'variables', 'monitors', 'status_pages', 'maintenance_windows'] as const;

/** Exports and imports a project as a file. An import previews all changes. */
export default function Import() {
  const actions = <Button onClick={() => void download().catch(toastError)}>{editingTexts.exportFile}</Button>;
  return (
    <Page title={editingTexts.importTitle} class="form" back={{ to: '/', text: shellTexts.allMonitors }} actions={actions}>
      <p>{editingTexts.importText}</p>
      {canEdit.value && <ImportForm />}
    </Page>
  );
}

function ImportForm() {
  const queries = useQueryClient();
  const [text, setText] = useState('');
  const [result, setResult] = useState<ImportResult | null>(null);
  const change = (changed: string) => {
    setText(changed);
    setResult(null);
  };
  const preview = useForm(async () => setResult(await send(text, true)));
  const applyImport = useForm(async () => {
    const { summary } = await send(text, false);
    toast(editingTexts.imported(summary.created + summary.updated));
    await queries.invalidateQueries();
    change('');
  });
  const count = result === null ? 0 : result.summary.created + result.summary.updated;
  return (
    <>
      <ConvertForm onDocument={change} />
      <form class="card" onSubmit={preview.onSubmit}>
        <Field label={editingTexts.file} isOptional>
          {(own) => (
            <input
              {...own} type="file" accept=".yaml,.yml,.json,application/json"
              onChange={({ currentTarget }) => void currentTarget.files?.[0]?.text().then(change, toastError)}
            />
          )}
        </Field>
        <TextArea label={editingTexts.document} hint={editingTexts.documentHint} value={text} onValue={change} rows={10} spellcheck={false} required class="import-text" />
        <ErrorNote error={preview.error} />
        <div class="form-foot"><Button type="submit" variant={result === null ? 'primary' : 'plain'} isBusy={preview.isBusy}>{editingTexts.preview}</Button></div>
      </form>
      {result !== null && (
        <form class="card" onSubmit={applyImport.onSubmit}>
          <p role="status"><strong>{count === 0 ? editingTexts.nothingToImport : summaryOf(result)}</strong></p>
          {KINDS.map((kind) => <Changes key={kind} title={editingTexts[kind]} items={result[kind].filter(({ action }) => action !== 'unchanged')} />)}
          <ErrorNote error={applyImport.error} />
          {count > 0 && (
            <div class="form-foot"><Button type="submit" variant="primary" isBusy={applyImport.isBusy}>{editingTexts.importNow(count)}</Button></div>
          )}
        </form>
      )}
    </>
  );
}

function Changes({ title, items }: { title: string; items: ImportResult['monitors'] }) {
  if (items.length === 0) return null;
  return (
    <Section title={title}>
      <ul class="import-list">
        {items.map(({ name, action, differences }, at) => (
          <li key={at}>
            <span class={`state-badge ${action === 'create' ? 'up' : 'maintenance'}`}>{action === 'create' ? `+ ${editingTexts.isNew}` : `~ ${editingTexts.isChanged}`}</span>
            <strong>{name}</strong>
            {differences.length > 0 && <ChangesTable changes={differences.map((one) => changeOf(one, fieldLabels))} />}
          </li>
        ))}
      </ul>
    </Section>
  );
}

function summaryOf({ summary: { created, updated, unchanged } }: ImportResult): string {
  return editingTexts.summary(created, updated, unchanged);
}

async function send(text: string, isDryRun: boolean): Promise<ImportResult> {
  return unwrap(api.POST('/api/import', {
    params: { query: { dry_run: isDryRun ? 'true' : 'false' } }, headers: { 'Content-Type': 'application/yaml' },
    // YAML includes JSON, so the server accepts both.
    body: {}, bodySerializer: () => text,
  }));
}

async function download(): Promise<void> {
  const request = api.GET('/api/export', { params: { query: { format: 'yaml' } }, parseAs: 'blob' });
  const url = URL.createObjectURL(await unwrap(request as never) as Blob);
  const link = document.createElement('a');
  [link.href, link.download] = [url, 'farwatch.yaml'];
  link.click();
  URL.revokeObjectURL(url);
}
