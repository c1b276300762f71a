import { useEffect, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { unwrap, api } from '../api/client.ts';
import { startSession } from '../api/session.ts';
import { sessionTexts } from '../texts/session.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { TextField } from '../ui/field.tsx';
import { Page } from '../ui/page.tsx';
import { useForm } from '../ui/use-form.ts';
import { useRegistration } from './registration.ts';
import { SessionHeader } from './session-header.tsx';

export default function SignIn() {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const { route, query } = useLocation();
  const registration = useRegistration();
  const isFirst = registration?.is_empty === true && registration.is_open;
  useEffect(() => {
    // Nobody can sign in yet: setup starts with the operator's account.
    if (isFirst) route('/sign-up', true);
  }, [isFirst]);
  const { onSubmit, isBusy, error } = useForm(async () => {
    await unwrap(api.POST('/api/auth/login', { body: { email, password } }));
    await startSession();
  });
  const next = query['next'] === undefined ? '' : `?next=${encodeURIComponent(query['next'])}`;
  return (
    <Page title={sessionTexts.signIn} class="narrow" above={<SessionHeader />}>
      <form class="card" onSubmit={onSubmit}>
        <TextField label={sessionTexts.email} type="email" autocomplete="username" required value={email} onValue={setEmail} />
        <TextField label={sessionTexts.password} type="password" autocomplete="current-password" required value={password} onValue={setPassword} />
        <ErrorNote error={error} />
        <Button type="submit" variant="primary" isBusy={isBusy}>{sessionTexts.signIn}</Button>
      </form>
      <nav class="session-links" aria-label={sessionTexts.alternatives}>
        <a href="/forgot-password">{sessionTexts.forgotten}</a>
        {registration?.is_open === true && <a href={`/sign-up${next}`}>{sessionTexts.signUp}</a>}
        {registration?.is_open === false && <span class="faint">{sessionTexts.byInvitation}</span>}
      </nav>
    </Page>
  );
}
