import { useQuery } from '@tanstack/preact-query';
import { useLocation } from 'preact-iso';
import { useState } from 'preact/hooks';
import { unwrap, api } from '../api/client.ts';
import { ApiError, fieldErrorsOf } from '../api/api-error.ts';
import type { components } from '../api/openapi.d.ts';
import { startSession, chooseOrganization, me } from '../api/session.ts';
import { sessionTexts } from '../texts/session.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { TextField } from '../ui/field.tsx';
import { QueryResult } from '../ui/loading.tsx';
import { Page } from '../ui/page.tsx';
import { useForm } from '../ui/use-form.ts';
import { SessionHeader } from './session-header.tsx';

type Invitation = components['schemas']['OpenInvitation'];

/** The page behind an invitation link: joins an organization with a new or an existing account. */
export default function AcceptInvitation() {
  const { query: { token = '' } } = useLocation();
  const query = useQuery({
    queryKey: ['session', 'invitation', token], retry: false,
    queryFn: async () => (await unwrap(api.POST('/api/auth/read-invitation', { body: { token } }))).invitation,
  });
  if (query.error instanceof ApiError && query.error.status === 400) {
    return (
      <Page title={sessionTexts.invalidInvitation} class="narrow" above={<SessionHeader />}>
        <div class="card"><p>{sessionTexts.invalidInvitationText}</p></div>
        <nav class="session-links" aria-label={sessionTexts.alternatives}><a href="/">{sessionTexts.toConsole}</a></nav>
      </Page>
    );
  }
  const title = query.data === undefined ? sessionTexts.invitation : sessionTexts.join(query.data.organization.name);
  return (
    <Page title={title} class="narrow" above={<SessionHeader />}>
      <QueryResult query={query}>{(invitation) => <JoinForm invitation={invitation} token={token} refetch={query.refetch} />}</QueryResult>
    </Page>
  );
}

function JoinForm({ invitation, token, refetch }: { invitation: Invitation; token: string; refetch: () => Promise<unknown> }) {
  const { email, organization, has_account: hasAccount } = invitation;
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const { route } = useLocation();
  const { onSubmit, isBusy, error } = useForm(async () => {
    const body = { token, password, ...(hasAccount ? {} : { name }) };
    const request = unwrap(api.POST('/api/auth/accept-invitation', { body }));
    // Someone may have registered the address in the meantime; then the form asks for that account's password.
    await request.catch(async (refusal: unknown) => {
      await refetch();
      throw refusal;
    });
    await startSession();
    chooseOrganization(organization.id);
    route('/', true);
  });
  const other = me.value !== null && me.value.user.email !== email ? me.value.user.email : null;
  const fieldErrors = fieldErrorsOf(error);
  return (
    <form class="card" onSubmit={onSubmit}>
      <p>{sessionTexts.invitedAs(email)}</p>
      {other !== null && <p class="note">{sessionTexts.signedInAs(other)}</p>}
      {!hasAccount && (
        <TextField
          label={sessionTexts.name} autocomplete="name" required maxLength={100} value={name} onValue={setName} error={fieldErrors.at('name')}
        />
      )}
      {/* Tells password managers which account the password belongs to. */}
      <input hidden type="email" autocomplete="username" value={email} readOnly />
      {hasAccount
        ? (
          <TextField
            label={sessionTexts.password} hint={sessionTexts.existingPasswordHint} type="password" autocomplete="current-password"
            required maxLength={1000} value={password} onValue={setPassword} error={fieldErrors.at('password')}
          />
        )
        : (
          <TextField
            label={sessionTexts.password} hint={sessionTexts.passwordHint} type="password" autocomplete="new-password" required
            minLength={10} maxLength={200} value={password} onValue={setPassword} error={fieldErrors.at('password')}
          />
        )}
      <ErrorNote error={error} />
      <Button type="submit" variant="primary" isBusy={isBusy}>{sessionTexts.accept}</Button>
      {hasAccount && me.value === null && <a href="/forgot-password">{sessionTexts.forgotten}</a>}
    </form>
  );
}
