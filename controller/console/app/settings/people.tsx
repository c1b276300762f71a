import { useQuery } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { unwrap, api } from '../api/client.ts';
import type { components } from '../api/openapi.d.ts';
import { canAdminister, me } from '../api/session.ts';
import { settingTexts as texts } from '../texts/settings.ts';
import { Button } from '../ui/button.tsx';
import { QueryResult } from '../ui/loading.tsx';
import { useOptimistic } from '../ui/optimistic.ts';
import { Section } from '../ui/page.tsx';
import { Table } from '../ui/table.tsx';
import { Ago } from '../ui/time.tsx';
import { Invitations } from './invitations.tsx';
import { Invite } from './invite.tsx';
import { RemoveMember } from './remove-member.tsx';
import { assignableRoles, type Role } from './roles.ts';

type Member = components['schemas']['Member'];

const KEY = ['settings', 'members'];

/** Members of the organization with their roles, and invitations. */
export function People() {
  const [isInviting, setInviting] = useState(false);
  const [removing, setRemoving] = useState<Member | null>(null);
  const query = useQuery({ queryKey: KEY, queryFn: () => unwrap(api.GET('/api/organization/members')) });
  return (
    <>
      <Section
        title={texts.people}
        actions={canAdminister.value && <Button variant="primary" onClick={() => setInviting(true)}>{texts.invite}</Button>}
      >
        <QueryResult query={query}>
          {({ members }) => (
            <Table columns={[texts.name, texts.role, texts.joined, { hidden: texts.actions }]}>
              {members.map((member) => <Row key={member.user_id} member={member} onRemove={() => setRemoving(member)} />)}
            </Table>
          )}
        </QueryResult>
      </Section>
      {canAdminister.value && <Invitations />}
      {isInviting && <Invite onClose={() => setInviting(false)} />}
      {removing !== null && <RemoveMember member={removing} onClose={() => setRemoving(null)} />}
    </>
  );
}

function Row({ member, onRemove }: { member: Member; onRemove: () => void }) {
  const { user_id: userId, name, email, role, joined_at: joined } = member;
  const roles = assignableRoles();
  const canChange = canAdminister.value && roles.includes(role);
  const isSelf = userId === me.value?.user.id;
  const changeRole = useOptimistic<{ members: Member[] }, Role>({
    key: KEY,
    applyChange: ({ members }, to) => ({ members: members.map((one) => (one.user_id === userId ? { ...one, role: to } : one)) }),
    send: (to) => unwrap(api.PATCH('/api/organization/members/{userId}', { params: { path: { userId } }, body: { role: to } })),
  });
  return (
    <tr>
      <td class="wide">{name} {isSelf && <span class="tag">{texts.you}</span>}<br /><span class="faint small">{email}</span></td>
      <td>
        {canChange ? (
          <select
            aria-label={texts.roleOf(name)} value={role}
            onChange={({ currentTarget }) => changeRole.mutate(currentTarget.value as Role)}
          >
            {roles.map((one) => <option key={one} value={one}>{texts[one]}</option>)}
          </select>
        ) : texts[role]}
      </td>
      <td data-label={texts.joined}><Ago at={joined} /></td>
      <td>
        {canChange && !isSelf && (
          <div class="actions"><Button variant="danger" aria-label={texts.removeOf(name)} onClick={onRemove}>{texts.remove}</Button></div>
        )}
      </td>
    </tr>
  );
}
