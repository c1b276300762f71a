import { useQuery } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { unwrap, api } from '../api/client.ts';
import type { components } from '../api/openapi.d.ts';
import { queries } from '../api/queries.ts';
import { canAdminister, chooseProject, project as shownProject, readSession } from '../api/session.ts';
import { heartbeatTexts } from '../texts/heartbeats.ts';
import { settingTexts as texts } from '../texts/settings.ts';
import { shellTexts } from '../texts/shell.ts';
import { Button } from '../ui/button.tsx';
import { ConfirmDialog } from '../ui/dialog.tsx';
import { TextField } from '../ui/field.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { QueryResult } from '../ui/loading.tsx';
import { Section } from '../ui/page.tsx';
import { Table } from '../ui/table.tsx';
import { toast } from '../ui/toast.tsx';
import { PingKey } from './ping-key.tsx';
import { ProjectMembers } from './project-members.tsx';

type Project = components['schemas']['Project'];
type Action = 'rename' | 'members' | 'pingKey' | 'delete';
type OpenDialog = { kind: 'create' } | { kind: Action; project: Project };

const KEY = ['settings', 'projects'];
const refresh = () => Promise.all([readSession(), queries.invalidateQueries({ queryKey: KEY })]);

/** The organization's projects and their members. */
export function Projects() {
  const [openDialog, setOpenDialog] = useState<OpenDialog | null>(null);
  const query = useQuery({ queryKey: KEY, queryFn: () => unwrap(api.GET('/api/projects')) });
  const close = () => setOpenDialog(null);
  return (
    <Section
      title={texts.projects}
      actions={canAdminister.value && <Button variant="primary" onClick={() => setOpenDialog({ kind: 'create' })}>{texts.newProject}</Button>}
    >
      <p class="hint">{texts.projectsText}</p>
      <QueryResult query={query}>
        {({ projects }) => (
          <Table columns={[texts.name, texts.ownRole, { hidden: texts.actions }]}>
            {projects.map((one) => (
              <Row key={one.id} project={one} onAction={(kind) => setOpenDialog({ kind, project: one })} />
            ))}
          </Table>
        )}
      </QueryResult>
      {openDialog?.kind === 'create' && (
        <NameDialog title={texts.newProject} submitLabel={texts.create} onClose={close} send={(name) => unwrap(api.POST('/api/projects', { body: { name } }))} />
      )}
      {openDialog?.kind === 'rename' && (
        <NameDialog
          title={texts.renameOf(openDialog.project.name)} submitLabel={shellTexts.save} name={openDialog.project.name} onClose={close}
          send={(name) => unwrap(api.PATCH('/api/projects/{id}', { params: { path: { id: openDialog.project.id } }, body: { name } }))}
        />
      )}
      {openDialog?.kind === 'members' && <ProjectMembers project={openDialog.project} onClose={close} />}
      {openDialog?.kind === 'pingKey' && <PingKey project={openDialog.project} onClose={close} />}
      {openDialog?.kind === 'delete' && (
        <ConfirmDialog
          title={texts.deleteOf(openDialog.project.name)} text={texts.deleteProjectText} confirmLabel={shellTexts.delete} onClose={close}
          action={async () => {
            await unwrap(api.DELETE('/api/projects/{id}', { params: { path: { id: openDialog.project.id } } }));
            await refresh();
          }}
        />
      )}
    </Section>
  );
}

function Row({ project, onAction }: { project: Project; onAction: (kind: Action) => void }) {
  const { id, name, is_default: isDefault, role } = project;
  return (
    <tr>
      <td class="wide">{name} {isDefault && <span class="tag">{texts.default}</span>}</td>
      <td>{texts[`project_${role}`]}</td>
      <td>
        <div class="actions">
          {id !== shownProject.value?.id && <Button aria-label={texts.showOf(name)} onClick={() => chooseProject(id)}>{texts.show}</Button>}
          {role !== 'viewer' && <Button aria-label={heartbeatTexts.keyOf(name)} onClick={() => onAction('pingKey')}>{heartbeatTexts.key}</Button>}
          {canAdminister.value && (
            <>
              <Button aria-label={texts.membersOf(name)} onClick={() => onAction('members')}>{texts.roles}</Button>
              <Button aria-label={texts.renameOf(name)} onClick={() => onAction('rename')}>{texts.rename}</Button>
              {!isDefault && <Button variant="danger" aria-label={texts.deleteOf(name)} onClick={() => onAction('delete')}>{shellTexts.delete}</Button>}
            </>
          )}
        </div>
      </td>
    </tr>
  );
}

function NameDialog({ title, submitLabel, name: initialName = '', send, onClose }: {
  title: string; submitLabel: string; name?: string; send: (name: string) => Promise<unknown>; onClose: () => void;
}) {
  const [name, setName] = useState(initialName);
  return (
    <FormDialog
      title={title} submitLabel={submitLabel} onClose={onClose}
      send={async () => {
        await send(name);
        await refresh();
        toast(texts.saved);
      }}
    >
      {(fieldErrors) => <TextField label={texts.name} required maxLength={100} value={name} onValue={setName} error={fieldErrors.at('name')} />}
    </FormDialog>
  );
}
