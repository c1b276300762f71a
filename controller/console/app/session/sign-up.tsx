import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { unwrap, api } from '../api/client.ts';
import { fieldErrorsOf } from '../api/api-error.ts';
import { startSession } from '../api/session.ts';
import { sessionTexts } from '../texts/session.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { TextField } from '../ui/field.tsx';
import { Page } from '../ui/page.tsx';
import { useForm } from '../ui/use-form.ts';
import { useRegistration } from './registration.ts';
import { SessionHeader } from './session-header.tsx';

const EMPTY_FORM = { name: '', email: '', password: '', organization_name: '' };
type Values = typeof EMPTY_FORM;

/** Creates an account; the first one of an installation becomes its operator. */
export default function SignUp() {
  const [values, setValues] = useState(EMPTY_FORM);
  const registration = useRegistration();
  const { route, query } = useLocation();
  const { onSubmit, isBusy, error } = useForm(async () => {
    const { organization_name: organization, ...account } = values;
    const body = { ...account, ...(organization.trim() === '' ? {} : { organization_name: organization }) };
    await unwrap(api.POST('/api/auth/register', { body }));
    // Once the session starts, this path redirects as sign-in does.
    route(`/sign-up?next=${encodeURIComponent(query['next'] ?? '/welcome')}`, true);
    await startSession();
  });
  const isFirst = registration?.is_empty === true;
  const title = isFirst ? sessionTexts.first : sessionTexts.signUp;
  if (registration !== null && !registration.is_open) {
    return <Page title={sessionTexts.signUp} class="narrow" above={<SessionHeader />}><div class="card"><p>{sessionTexts.closed}</p><SignInLink /></div></Page>;
  }
  const fieldErrors = fieldErrorsOf(error);
  const field = (name: keyof Values) => ({
    value: values[name], error: fieldErrors.at(name), name,
    onValue: (value: string) => setValues({ ...values, [name]: value }),
  });
  return (
    <Page title={title} class="narrow" above={<SessionHeader />}>
      {isFirst && <p>{sessionTexts.firstText}</p>}
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
  return <nav class="session-links" aria-label={sessionTexts.alternatives}><a href="/sign-in">{sessionTexts.haveAccount}</a></nav>;
}
