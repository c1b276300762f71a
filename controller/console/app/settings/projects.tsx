import { useQuery } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { answer, api } from '../api/client.ts';
import type { components } from '../api/openapi.d.ts';
import { queries } from '../api/queries.ts';
import { canAdminister, chooseProject, project as shownProject, readSession } from '../session/session.ts';
import { settingTexts as texts } from '../texts/settings.ts';
import { shellTexts } from '../texts/shell.ts';
import { Button } from '../ui/button.tsx';
import { ConfirmDialog } from '../ui/dialog.tsx';
import { TextField } from '../ui/field.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { Shown } from '../ui/loading.tsx';
import { Section } from '../ui/page.tsx';
import { toast } from '../ui/toast.tsx';
import { ProjectMembers } from './project-members.tsx';

type Project = components['schemas']['Project'];
type Asked = { what: 'create' } | { what: 'rename' | 'members' | 'delete'; project: Project };

const KEY = ['settings', 'projects'];
const changed = () => Promise.all([readSession(), queries.invalidateQueries({ queryKey: KEY })]);

/** The organization's projects, and who may do what in each. */
export function Projects() {
  const [asked, setAsked] = useState<Asked | null>(null);
  const read = useQuery({ queryKey: KEY, queryFn: () => answer(api.GET('/api/projects')) });
  const close = () => setAsked(null);
  return (
    <Section
      title={texts.projects}
      actions={canAdminister.value && <Button variant="primary" onClick={() => setAsked({ what: 'create' })}>{texts.newProject}</Button>}
    >
      <p class="hint">{texts.projectsLong}</p>
      <Shown of={read}>
        {({ projects }) => (
          <div class="table-wrap">
            <table class="stacked">
              <thead>
                <tr>
                  <th scope="col">{texts.name}</th><th scope="col">{texts.ownRole}</th>
                  <th scope="col"><span class="hidden">{texts.actions}</span></th>
                </tr>
              </thead>
              <tbody>{projects.map((one) => <Row key={one.id} project={one} onAsk={(what) => setAsked({ what, project: one })} />)}</tbody>
            </table>
          </div>
        )}
      </Shown>
      {asked?.what === 'create' && (
        <NameDialog title={texts.newProject} verb={texts.create} onClose={close} send={(name) => answer(api.POST('/api/projects', { body: { name } }))} />
      )}
      {asked?.what === 'rename' && (
        <NameDialog
          title={texts.renameOf(asked.project.name)} verb={shellTexts.save} name={asked.project.name} onClose={close}
          send={(name) => answer(api.PATCH('/api/projects/{id}', { params: { path: { id: asked.project.id } }, body: { name } }))}
        />
      )}
      {asked?.what === 'members' && <ProjectMembers of={asked.project} onClose={close} />}
      {asked?.what === 'delete' && (
        <ConfirmDialog
          title={texts.deleteOf(asked.project.name)} text={texts.deleteProjectLong} verb={shellTexts.delete} onClose={close}
          action={async () => {
            await answer(api.DELETE('/api/projects/{id}', { params: { path: { id: asked.project.id } } }));
            await changed();
          }}
        />
      )}
    </Section>
  );
}

function Row({ project, onAsk }: { project: Project; onAsk: (what: 'rename' | 'members' | 'delete') => void }) {
  const { id, name, is_default: isDefault, role } = project;
  return (
    <tr>
      <td class="wide">{name} {isDefault && <span class="tag">{texts.default}</span>}</td>
      <td>{texts[`project_${role}`]}</td>
      <td>
        <div class="actions">
          {id !== shownProject.value?.id && <Button aria-label={texts.showOf(name)} onClick={() => chooseProject(id)}>{texts.show}</Button>}
          {canAdminister.value && (
            <>
              <Button aria-label={texts.membersOf(name)} onClick={() => onAsk('members')}>{texts.roles}</Button>
              <Button aria-label={texts.renameOf(name)} onClick={() => onAsk('rename')}>{texts.rename}</Button>
              {!isDefault && <Button variant="danger" aria-label={texts.deleteOf(name)} onClick={() => onAsk('delete')}>{shellTexts.delete}</Button>}
            </>
          )}
        </div>
      </td>
    </tr>
  );
}

function NameDialog({ title, verb, name: before = '', send, onClose }: {
  title: string; verb: string; name?: string; send: (name: string) => Promise<unknown>; onClose: () => void;
}) {
  const [name, setName] = useState(before);
  return (
    <FormDialog
      title={title} verb={verb} onClose={onClose}
      send={async () => {
        await send(name);
        await changed();
        toast(texts.saved);
      }}
    >
      {(wrong) => <TextField label={texts.name} required maxLength={100} value={name} onValue={setName} error={wrong.at('name')} />}
    </FormDialog>
  );
}
