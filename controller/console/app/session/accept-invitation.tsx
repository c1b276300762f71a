import { useQuery } from '@tanstack/preact-query';
import { useLocation } from 'preact-iso';
import { useState } from 'preact/hooks';
import { answer, api } from '../api/client.ts';
import { ApiError, fieldsOf } from '../api/api-error.ts';
import type { components } from '../api/openapi.d.ts';
import { sessionTexts } from '../texts/session.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { TextField } from '../ui/field.tsx';
import { Shown } from '../ui/loading.tsx';
import { Page } from '../ui/page.tsx';
import { useForm } from '../ui/use-form.ts';
import { beginSession, chooseOrganization, me } from './session.ts';
import { Welcoming } from './welcoming.tsx';

type Invitation = components['schemas']['OpenInvitation'];

/** What the mailed link opens: joining an organization, with a new account or with the one of the address. */
export default function AcceptInvitation() {
  const { query: { token = '' } } = useLocation();
  const read = useQuery({
    queryKey: ['session', 'invitation', token], retry: false,
    queryFn: async () => (await answer(api.POST('/api/auth/read-invitation', { body: { token } }))).invitation,
  });
  if (read.error instanceof ApiError && read.error.status === 400) {
    return (
      <Page title={sessionTexts.deadInvitation} class="narrow" above={<Welcoming />}>
        <div class="card"><p>{sessionTexts.deadInvitationLong}</p></div>
        <nav class="session-links" aria-label={sessionTexts.otherWays}><a href="/">{sessionTexts.toConsole}</a></nav>
      </Page>
    );
  }
  const title = read.data === undefined ? sessionTexts.invitation : sessionTexts.join(read.data.organization.name);
  return (
    <Page title={title} class="narrow" above={<Welcoming />}>
      <Shown of={read}>{(invitation) => <Joining invitation={invitation} token={token} reread={read.refetch} />}</Shown>
    </Page>
  );
}

function Joining({ invitation, token, reread }: { invitation: Invitation; token: string; reread: () => Promise<unknown> }) {
  const { email, organization, has_account: hasAccount } = invitation;
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const { route } = useLocation();
  const { onSubmit, isBusy, error } = useForm(async () => {
    const body = { token, password, ...(hasAccount ? {} : { name }) };
    const sent = answer(api.POST('/api/auth/accept-invitation', { body }));
    // Somebody may have registered the address meanwhile; then the form asks for that account's password.
    await sent.catch(async (refusal: unknown) => {
      await reread();
      throw refusal;
    });
    await beginSession();
    chooseOrganization(organization.id);
    route('/', true);
  });
  const other = me.value !== null && me.value.user.email !== email ? me.value.user.email : null;
  const wrong = fieldsOf(error);
  return (
    <form class="card" onSubmit={onSubmit}>
      <p>{sessionTexts.invitedAs(email)}</p>
      {other !== null && <p class="note">{sessionTexts.signedInAs(other)}</p>}
      {!hasAccount && (
        <TextField
          label={sessionTexts.name} autocomplete="name" required maxLength={100} value={name} onValue={setName} error={wrong.at('name')}
        />
      )}
      {/* For password managers: whose password it is. */}
      <input hidden type="email" autocomplete="username" value={email} readOnly />
      {hasAccount
        ? (
          <TextField
            label={sessionTexts.password} hint={sessionTexts.knownPasswordHint} type="password" autocomplete="current-password"
            required maxLength={1000} value={password} onValue={setPassword} error={wrong.at('password')}
          />
        )
        : (
          <TextField
            label={sessionTexts.password} hint={sessionTexts.passwordHint} type="password" autocomplete="new-password" required
            minLength={10} maxLength={200} value={password} onValue={setPassword} error={wrong.at('password')}
          />
        )}
      <ErrorNote error={error} />
      <Button type="submit" variant="primary" isBusy={isBusy}>{sessionTexts.accept}</Button>
      {hasAccount && me.value === null && <a href="/forgot-password">{sessionTexts.forgotten}</a>}
    </form>
  );
}
