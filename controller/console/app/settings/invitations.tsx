import { useMutation, useQuery } from '@tanstack/preact-query';
import { unwrap, api } from '../api/client.ts';
import { queries } from '../api/queries.ts';
import { settingTexts as texts } from '../texts/settings.ts';
import { Button } from '../ui/button.tsx';
import { QueryResult } from '../ui/loading.tsx';
import { Section } from '../ui/page.tsx';
import { Table } from '../ui/table.tsx';
import { Ago } from '../ui/time.tsx';
import { toast, toastError } from '../ui/toast.tsx';

export const INVITATIONS = ['settings', 'invitations'];

/** Pending invitations. Hidden if there are none. */
export function Invitations() {
  const query = useQuery({ queryKey: INVITATIONS, queryFn: () => unwrap(api.GET('/api/organization/invitations')) });
  const withdraw = useMutation({
    mutationFn: (id: string) => unwrap(api.DELETE('/api/organization/invitations/{id}', { params: { path: { id } } })),
    onSuccess: () => toast(texts.withdrawn),
    onError: toastError,
    onSettled: () => queries.invalidateQueries({ queryKey: INVITATIONS }),
  });
  if (query.data?.invitations.length === 0) return null;
  return (
    <Section title={texts.invitations}>
      <QueryResult query={query}>
        {({ invitations }) => (
          <Table columns={[texts.address, texts.role, texts.until, { hidden: texts.actions }]}>
            {invitations.map(({ id, email, role, is_expired: isExpired, expires_at: until }) => (
              <tr key={id}>
                <td class="wide">{email}</td>
                <td>{texts[role]}</td>
                <td data-label={texts.until}>{isExpired ? <span class="state-badge degraded">{texts.expired}</span> : <Ago at={until} />}</td>
                <td>
                  <div class="actions">
                    <Button aria-label={texts.withdrawOf(email)} disabled={withdraw.isPending} onClick={() => withdraw.mutate(id)}>
                      {texts.withdraw}
                    </Button>
                  </div>
                </td>
              </tr>
            ))}
          </Table>
        )}
      </QueryResult>
    </Section>
  );
}
