import { useState } from 'preact/hooks';
import { unwrap, api } from '../api/client.ts';
import { queries } from '../api/queries.ts';
import { me, organization } from '../api/session.ts';
import { settingTexts as texts } from '../texts/settings.ts';
import { SelectField, TextField } from '../ui/field.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { toast } from '../ui/toast.tsx';
import { INVITATIONS } from './invitations.tsx';
import { PROJECT_ROLES, assignableRoles, type ProjectRole, type Role } from './roles.ts';

/** Invites a person by email; a `member` gets a role in each project. */
export function Invite({ onClose }: { onClose: () => void }) {
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>('member');
  const [roles, setRoles] = useState<Record<string, ProjectRole>>({});
  const projects = me.value?.projects.filter((one) => one.organization_id === organization.value?.id) ?? [];
  return (
    <FormDialog
      title={texts.invite} submitLabel={texts.sendInvitation} onClose={onClose}
      send={async () => {
        await unwrap(api.POST('/api/organization/invitations', { body: { email, role, project_roles: role === 'member' ? roles : {} } }));
        await queries.invalidateQueries({ queryKey: INVITATIONS });
        toast(texts.invited(email));
      }}
    >
      {(fieldErrors) => (
        <>
          <TextField label={texts.address} type="email" required maxLength={254} value={email} onValue={setEmail} error={fieldErrors.at('email')} />
          <SelectField
            label={texts.role} hint={texts[`${role}Hint`]} value={role} onValue={setRole}
            options={assignableRoles().map((one) => [one, texts[one]] as const)}
          />
          {role === 'member' && projects.map(({ id, name, is_default: isDefault }) => (
            <SelectField
              key={id} label={texts.roleIn(name)} value={roles[id] ?? ''}
              onValue={(chosenRole) => setRoles(Object.fromEntries(
                [...Object.entries(roles).filter(([projectId]) => projectId !== id), [id, chosenRole] as const].filter(([, to]) => to !== ''),
              ) as Record<string, ProjectRole>)}
              options={[['', isDefault ? texts.editorByDefault : texts.noRole], ...PROJECT_ROLES.map((one) => [one, texts[`project_${one}`]] as const)]}
            />
          ))}
        </>
      )}
    </FormDialog>
  );
}
