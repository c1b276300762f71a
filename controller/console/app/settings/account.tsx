import { useMutation, useQuery } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { fieldErrorsOf } from '../api/api-error.ts';
import { unwrap, api } from '../api/client.ts';
import { queries } from '../api/queries.ts';
import { clearSession, me } from '../api/session.ts';
import { settingTexts as texts } from '../texts/settings.ts';
import { Button } from '../ui/button.tsx';
import { ConfirmDialog } from '../ui/dialog.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { TextField } from '../ui/field.tsx';
import { QueryResult } from '../ui/loading.tsx';
import { Section } from '../ui/page.tsx';
import { Table } from '../ui/table.tsx';
import { Ago, Time } from '../ui/time.tsx';
import { toast, toastError } from '../ui/toast.tsx';
import { useForm } from '../ui/use-form.ts';

const SESSIONS = ['settings', 'sessions'];

/** The user's own account: password and active sessions. */
export function AccountSettings() {
  const user = me.value?.user;
  return (
    <>
      <dl class="facts card">
        <dt>{texts.name}</dt><dd>{user?.name}</dd>
        <dt>{texts.address}</dt>
        <dd>{user?.email} {user?.email_verified === false && <span class="state-badge degraded">{texts.notVerified}</span>}</dd>
      </dl>
      <Section title={texts.password}><PasswordForm /></Section>
      <Sessions />
    </>
  );
}

function PasswordForm() {
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const { onSubmit, error, isBusy } = useForm(async () => {
    await unwrap(api.POST('/api/auth/change-password', { body: { current_password: current, new_password: next } }));
    setCurrent('');
    setNext('');
    void queries.invalidateQueries({ queryKey: SESSIONS });
    toast(texts.passwordChanged);
  });
  const fieldErrors = fieldErrorsOf(error);
  return (
    <form class="card" onSubmit={onSubmit}>
      <div class="fields">
        <TextField
          label={texts.currentPassword} type="password" autocomplete="current-password" required value={current} onValue={setCurrent}
          error={fieldErrors.at('current_password')}
        />
        <TextField
          label={texts.newPassword} hint={texts.newPasswordHint} type="password" autocomplete="new-password" required minLength={10}
          maxLength={200} value={next} onValue={setNext} error={fieldErrors.at('new_password')}
        />
      </div>
      <ErrorNote error={error} />
      <div class="actions"><Button type="submit" variant="primary" isBusy={isBusy}>{texts.changePassword}</Button></div>
    </form>
  );
}

function Sessions() {
  const [isConfirming, setConfirming] = useState(false);
  const query = useQuery({ queryKey: SESSIONS, queryFn: () => unwrap(api.GET('/api/auth/sessions')) });
  const end = useMutation({
    mutationFn: (id: string) => unwrap(api.DELETE('/api/auth/sessions/{id}', { params: { path: { id } } })),
    onError: toastError,
    onSettled: () => queries.invalidateQueries({ queryKey: SESSIONS }),
  });
  return (
    <Section title={texts.sessions} actions={<Button variant="danger" onClick={() => setConfirming(true)}>{texts.endAll}</Button>}>
      <QueryResult query={query}>
        {({ sessions }) => (
          <Table columns={[texts.signedIn, texts.until, { hidden: texts.actions }]}>
            {sessions.map(({ id, is_current: isCurrent, created_at: from, expires_at: until }) => (
              <tr key={id}>
                <td class="wide"><Ago at={from} /> {isCurrent && <span class="state-badge up">{texts.thisSession}</span>}</td>
                <td data-label={texts.until}><Time at={until} format="minute" /></td>
                <td>{!isCurrent && <Button disabled={end.isPending} onClick={() => end.mutate(id)}>{texts.endSession}</Button>}</td>
              </tr>
            ))}
          </Table>
        )}
      </QueryResult>
      {isConfirming && (
        <ConfirmDialog
          title={texts.endAll} text={texts.endAllText} confirmLabel={texts.endAll} onClose={() => setConfirming(false)}
          action={async () => {
            await unwrap(api.POST('/api/auth/logout-everywhere'));
            clearSession();
          }}
        />
      )}
    </Section>
  );
}
