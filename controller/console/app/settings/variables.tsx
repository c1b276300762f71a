import { useQuery } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { unwrap, api } from '../api/client.ts';
import type { components } from '../api/openapi.d.ts';
import { queries } from '../api/queries.ts';
import { canEdit, project } from '../api/session.ts';
import { shellTexts } from '../texts/shell.ts';
import { variableTexts as texts } from '../texts/variables.ts';
import { Button } from '../ui/button.tsx';
import { ConfirmDialog } from '../ui/dialog.tsx';
import { Checkbox, TextArea, TextField } from '../ui/field.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { href } from '../ui/link.ts';
import { QueryResult } from '../ui/loading.tsx';
import { ManagedForm, ManagedNote } from '../ui/managed.tsx';
import { Empty, Section } from '../ui/page.tsx';
import { Table } from '../ui/table.tsx';
import { toast } from '../ui/toast.tsx';

type Variable = components['schemas']['Variable'];
type OpenDialog = { kind: 'create' } | { kind: 'edit' | 'delete'; variable: Variable };

const MAX_VALUE_LENGTH = 4096;
const pathOf = () => ({ projectId: project.value?.id ?? '' });

/** The variables of the current project. */
export function Variables() {
  const [openDialog, setOpenDialog] = useState<OpenDialog | null>(null);
  const query = useQuery({
    queryKey: ['settings', 'variables'],
    queryFn: () => unwrap(api.GET('/api/projects/{projectId}/variables', { params: { path: pathOf() } })),
  });
  const close = () => setOpenDialog(null);
  return (
    <Section
      title={texts.title}
      actions={canEdit.value && <Button variant="primary" onClick={() => setOpenDialog({ kind: 'create' })}>{texts.newVariable}</Button>}
    >
      <p class="hint">{texts.text(project.value?.name ?? '')}</p>
      <QueryResult query={query}>
        {({ variables }) => (variables.length === 0
          ? <Empty title={texts.none}><p>{texts.noneText}</p></Empty>
          : <VariableTable variables={variables} onAction={(kind, variable) => setOpenDialog({ kind, variable })} />)}
      </QueryResult>
      {openDialog?.kind === 'create' && <VariableForm variable={null} onClose={close} />}
      {openDialog?.kind === 'edit' && <VariableForm variable={openDialog.variable} onClose={close} />}
      {openDialog?.kind === 'delete' && (
        <ConfirmDialog
          title={texts.deleteOf(openDialog.variable.name)} confirmLabel={shellTexts.delete} onClose={close}
          text={<><p>{texts.deleteText}</p><ManagedNote owner={openDialog.variable.managed_by} /></>}
          action={async () => {
            const path = { id: openDialog.variable.id, ...pathOf() };
            await unwrap(api.DELETE('/api/projects/{projectId}/variables/{id}', { params: { path } }));
            await refresh();
          }}
        />
      )}
    </Section>
  );
}

const refresh = () => queries.invalidateQueries({ queryKey: ['settings', 'variables'] });

function VariableTable({ variables, onAction }: { variables: Variable[]; onAction: (kind: 'edit' | 'delete', variable: Variable) => void }) {
  return (
    <Table columns={[texts.name, texts.value, texts.usedBy, canEdit.value && { hidden: texts.actions }]}>
      {variables.map((variable) => (
        <tr key={variable.id}>
          <th scope="row" class="wide"><code>{variable.name}</code> {variable.is_secret && <span class="tag">{texts.secret}</span>}</th>
          <td class="value" data-label={texts.value}><Value variable={variable} /></td>
          <td data-label={texts.usedBy}><Users variable={variable} /></td>
          {canEdit.value && (
            <td>
              <div class="actions">
                <Button aria-label={texts.editOf(variable.name)} onClick={() => onAction('edit', variable)}>{texts.edit}</Button>
                <Button variant="danger" aria-label={texts.deleteOf(variable.name)} onClick={() => onAction('delete', variable)}>{shellTexts.delete}</Button>
              </div>
            </td>
          )}
        </tr>
      ))}
    </Table>
  );
}

function Value({ variable: { value } }: { variable: Variable }) {
  if (value === null) return <span class="faint">{texts.hidden}</span>;
  return value === '' ? <span class="faint">{texts.empty}</span> : <code>{value}</code>;
}

function Users({ variable: { monitors, monitor_count: count } }: { variable: Variable }) {
  if (count === 0) return <span class="faint">{texts.unused}</span>;
  return (
    <ul class="users">
      {monitors.map(({ id, name }) => <li key={id}><a href={href(`/monitors/${id}`)}>{name}</a></li>)}
      {count > monitors.length && <li class="faint">{texts.more(count - monitors.length)}</li>}
    </ul>
  );
}

/** `variable` is null for a new one. */
function VariableForm({ variable, onClose }: { variable: Variable | null; onClose: () => void }) {
  const [name, setName] = useState(variable?.name ?? '');
  const [value, setValue] = useState(variable?.value ?? '');
  const [isSecret, setSecret] = useState(variable?.is_secret ?? false);
  const isStored = variable?.is_secret ?? false;
  const isUsed = (variable?.monitor_count ?? 0) > 0;
  const save = () => {
    if (variable === null) {
      return unwrap(api.POST('/api/projects/{projectId}/variables', { params: { path: pathOf() }, body: { name, value, is_secret: isSecret } }));
    }
    const sent = isStored && value === '' ? {} : { value };
    const path = { id: variable.id, ...pathOf() };
    return unwrap(api.PATCH('/api/projects/{projectId}/variables/{id}', { params: { path }, body: { name, is_secret: isSecret, ...sent } }));
  };
  const valueHint = !isStored ? texts.valueHint : isSecret ? texts.keepsValue : texts.readableValue;
  return (
    <FormDialog
      title={variable === null ? texts.newVariable : texts.editOf(variable.name)}
      submitLabel={variable === null ? texts.create : shellTexts.save} onClose={onClose}
      send={async () => {
        await save();
        await refresh();
        toast(texts.saved);
      }}
    >
      {(fieldErrors) => (
        <ManagedForm owner={variable?.managed_by ?? null}>
          <TextField
            label={texts.name} hint={isUsed ? texts.isUsed : texts.nameHint} required maxLength={64} value={name} onValue={setName}
            readOnly={isUsed} spellcheck={false} autocomplete="off" error={fieldErrors.at('name')}
          />
          <Checkbox label={texts.secret} hint={texts.secretHint} value={isSecret} onValue={setSecret} />
          <TextArea
            label={texts.value} hint={valueHint} rows={3} maxLength={MAX_VALUE_LENGTH} value={value} onValue={setValue}
            spellcheck={false} required={isStored && !isSecret} error={fieldErrors.at('value')}
          />
        </ManagedForm>
      )}
    </FormDialog>
  );
}
