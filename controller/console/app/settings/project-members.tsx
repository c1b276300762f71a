import { useQuery } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { unwrap, api } from '../api/client.ts';
import { queries } from '../api/queries.ts';
import { settingTexts as texts } from '../texts/settings.ts';
import { shellTexts } from '../texts/shell.ts';
import { SelectField } from '../ui/field.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { QueryResult } from '../ui/loading.tsx';
import { toast } from '../ui/toast.tsx';
import { memberChoices, PROJECT_ROLES, type ProjectRoleChoice } from './roles.ts';

interface Project {
  id: string;
  name: string;
  is_default: boolean;
}

/** Sets the roles of the organization's members in one project. */
export function ProjectMembers({ project: { id, name, is_default: isDefault }, onClose }: { project: Project; onClose: () => void }) {
  const [changes, setChanges] = useState<Record<string, ProjectRoleChoice>>({});
  const path = { id };
  const query = useQuery({
    queryKey: ['settings', 'projects', id, 'members'],
    queryFn: async () => {
      const [all, inProject] = await Promise.all([
        unwrap(api.GET('/api/organization/members')), unwrap(api.GET('/api/projects/{id}/members', { params: { path } })),
      ]);
      return memberChoices(all.members, inProject.members);
    },
  });
  const save = async () => {
    const choices = (query.data ?? []).map((one) => [one.id, changes[one.id] ?? one.role] as const);
    const members = choices.flatMap(([user, role]) => (role === '' ? [] : [{ user_id: user, role }]));
    await unwrap(api.PUT('/api/projects/{id}/members', { params: { path }, body: { members } }));
    await queries.invalidateQueries({ queryKey: ['settings'] });
    toast(texts.saved);
  };
  return (
    <FormDialog title={texts.membersOf(name)} submitLabel={shellTexts.save} send={save} onClose={onClose}>
      {() => (
        <>
          <p class="hint">{texts.rolesText}</p>
          <QueryResult query={query}>
            {(people) => (people.length === 0 ? <p class="faint">{texts.noMembers}</p> : people.map((one) => (
              <SelectField
                key={one.id} label={one.name} value={changes[one.id] ?? one.role} onValue={(to) => setChanges({ ...changes, [one.id]: to })}
                options={[['', isDefault ? texts.editorByDefault : texts.noRole], ...PROJECT_ROLES.map((role) => [role, texts[`project_${role}`]] as const)]}
              />
            )))}
          </QueryResult>
        </>
      )}
    </FormDialog>
  );
}
