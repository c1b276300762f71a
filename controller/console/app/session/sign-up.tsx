import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { answer, api } from '../api/client.ts';
import { fieldsOf } from '../api/api-error.ts';
import { sessionTexts } from '../texts/session.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { TextField } from '../ui/field.tsx';
import { Page } from '../ui/page.tsx';
import { useForm } from '../ui/use-form.ts';
import { useRegistration } from './registration.ts';
import { beginSession } from './session.ts';
import { Welcoming } from './welcoming.tsx';

const NOTHING = { name: '', email: '', password: '', organization_name: '' };
type Entered = typeof NOTHING;

/** For a new account; the first one of an installation becomes its operator. */
export default function SignUp() {
  const [entered, setEntered] = useState(NOTHING);
  const registration = useRegistration();
  const { route, query } = useLocation();
  const { onSubmit, isBusy, error } = useForm(async () => {
    const { organization_name: organization, ...account } = entered;
    const body = { ...account, ...(organization.trim() === '' ? {} : { organization_name: organization }) };
    await answer(api.POST('/api/auth/register', { body }));
    // Signing in leads on from here, as it does from the form of that name.
    route(`/sign-up?next=${encodeURIComponent(query['next'] ?? '/welcome')}`, true);
    await beginSession();
  });
  const isFirst = registration?.is_empty === true;
  const title = isFirst ? sessionTexts.first : sessionTexts.signUp;
  if (registration !== null && !registration.is_open) {
    return <Page title={sessionTexts.signUp} class="narrow" above={<Welcoming />}><div class="card"><p>{sessionTexts.closed}</p><SignInLink /></div></Page>;
  }
  const faults = fieldsOf(error);
  const field = (name: keyof Entered) => ({
    value: entered[name], error: faults.at(name), name,
    onValue: (value: string) => setEntered({ ...entered, [name]: value }),
  });
  return (
    <Page title={title} class="narrow" above={<Welcoming />}>
      {isFirst && <p>{sessionTexts.firstLong}</p>}
      <form class="card" onSubmit={onSubmit}>
        <TextField {...field('name')} label={sessionTexts.name} autocomplete="name" required maxLength={100} />
        <TextField {...field('email')} label={sessionTexts.email} type="email" autocomplete="username" required maxLength={254} />
        <TextField
          {...field('password')} label={sessionTexts.password} hint={sessionTexts.passwordHint} type="password"
          autocomplete="new-password" required minLength={10} maxLength={200}
        />
        <TextField
          {...field('organization_name')} label={sessionTexts.organization} hint={sessionTexts.organizationHint} isOptional
          autocomplete="organization" maxLength={100}
        />
        <ErrorNote error={error} />
        <Button type="submit" variant="primary" isBusy={isBusy}>{isFirst ? sessionTexts.createOperator : sessionTexts.signUp}</Button>
      </form>
      {!isFirst && <SignInLink />}
    </Page>
  );
}

function SignInLink() {
  return <nav class="session-links" aria-label={sessionTexts.otherWays}><a href="/sign-in">{sessionTexts.haveAccount}</a></nav>;
}
