import { useQuery } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { answer, api } from '../api/client.ts';
import { queries } from '../api/queries.ts';
import { settingTexts as texts } from '../texts/settings.ts';
import { shellTexts } from '../texts/shell.ts';
import { SelectField } from '../ui/field.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { Shown } from '../ui/loading.tsx';
import { toast } from '../ui/toast.tsx';
import { choices, PROJECT_ROLES, type Given } from './roles.ts';

interface Project {
  id: string;
  name: string;
  is_default: boolean;
}

/** Gives members of the organization their roles in one project. */
export function ProjectMembers({ of: { id, name, is_default: isDefault }, onClose }: { of: Project; onClose: () => void }) {
  const [given, setGiven] = useState<Record<string, Given>>({});
  const path = { id };
  const read = useQuery({
    queryKey: ['settings', 'projects', id, 'members'],
    queryFn: async () => {
      const [all, inProject] = await Promise.all([
        answer(api.GET('/api/organization/members')), answer(api.GET('/api/projects/{id}/members', { params: { path } })),
      ]);
      return choices(all.members, inProject.members);
    },
  });
  const save = async () => {
    const wanted = (read.data ?? []).map((one) => [one.id, given[one.id] ?? one.given] as const);
    const members = wanted.flatMap(([user, role]) => (role === '' ? [] : [{ user_id: user, role }]));
    await answer(api.PUT('/api/projects/{id}/members', { params: { path }, body: { members } }));
    await queries.invalidateQueries({ queryKey: ['settings'] });
    toast(texts.saved);
  };
  return (
    <FormDialog title={texts.membersOf(name)} verb={shellTexts.save} send={save} onClose={onClose}>
      {() => (
        <>
          <p class="hint">{texts.rolesLong}</p>
          <Shown of={read}>
            {(people) => (people.length === 0 ? <p class="faint">{texts.noMembers}</p> : people.map((one) => (
              <SelectField
                key={one.id} label={one.name} value={given[one.id] ?? one.given} onValue={(to) => setGiven({ ...given, [one.id]: to })}
                options={[['', isDefault ? texts.editorByDefault : texts.noRole], ...PROJECT_ROLES.map((role) => [role, texts[`project_${role}`]] as const)]}
              />
            )))}
          </Shown>
        </>
      )}
    </FormDialog>
  );
}
