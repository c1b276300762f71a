import { useQuery } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { unwrap, api } from '../api/client.ts';
import type { components } from '../api/openapi.d.ts';
import { queries } from '../api/queries.ts';
import { fleetTexts } from '../texts/fleet.ts';
import { settingTexts as texts } from '../texts/settings.ts';
import { ConfirmDialog } from '../ui/dialog.tsx';
import { Checkbox } from '../ui/field.tsx';
import { QueryResult } from '../ui/loading.tsx';
import { toast } from '../ui/toast.tsx';

/** Names shown per type of credential. */
const MAX_NAMES = 10;

/** Confirms the removal of a member, and offers to revoke the credentials that they created. */
export function RemoveMember({ member: { user_id: userId, name }, onClose }: {
  member: components['schemas']['Member']; onClose: () => void;
}) {
  const [isRevoking, setRevoking] = useState(false);
  const params = { path: { userId } };
  const credentialsQuery = useQuery({
    // Not under the settings' key, which is refetched once the member is gone.
    queryKey: ['member-credentials', userId],
    queryFn: () => unwrap(api.GET('/api/organization/members/{userId}/credentials', { params })),
  });
  const remove = async () => {
    const query = { revoke_credentials: isRevoking ? 'true' : 'false' } as const;
    const { revoked } = await unwrap(api.DELETE('/api/organization/members/{userId}', { params: { ...params, query } }));
    await queries.invalidateQueries({ queryKey: ['settings'] });
    toast(isRevoking ? texts.removedRevoking(revoked) : texts.removed);
  };
  const text = (
    <>
      <p>{texts.removeText}</p>
      <QueryResult query={credentialsQuery} lines={2}>
        {(credentials) => (Object.values(credentials).every(({ length }) => length === 0) ? <p>{texts.noCredentials}</p> : (
          <>
            <Checkbox label={texts.revokeTheirs} hint={texts.revokeTheirsHint} value={isRevoking} onValue={setRevoking} />
            <dl class="facts">
              <Names title={texts.keys} items={credentials.api_keys} />
              <Names title={texts.subscriptions} items={credentials.subscriptions} />
              <Names title={fleetTexts.enrolmentKeys} items={credentials.enrolment_keys} />
            </dl>
          </>
        ))}
      </QueryResult>
    </>
  );
  return <ConfirmDialog title={texts.removeOf(name)} text={text} confirmLabel={texts.remove} onClose={onClose} action={remove} />;
}

function Names({ title, items }: { title: string; items: { name: string }[] }) {
  if (items.length === 0) return null;
  const names = items.slice(0, MAX_NAMES).map(({ name }) => name);
  return <><dt>{title} ({items.length})</dt><dd>{[...names, ...(items.length > MAX_NAMES ? ['…'] : [])].join(', ')}</dd></>;
}
