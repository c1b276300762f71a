import { useState } from 'preact/hooks';
import { fieldErrorsOf } from '../api/api-error.ts';
import { unwrap, api } from '../api/client.ts';
import { sessionTexts } from '../texts/session.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { TextField } from '../ui/field.tsx';
import { Page } from '../ui/page.tsx';
import { useForm } from '../ui/use-form.ts';
import { SessionHeader } from './session-header.tsx';

export default function ForgotPassword() {
  const [email, setEmail] = useState('');
  const [sentTo, setSentTo] = useState<string | null>(null);
  const { onSubmit, isBusy, error } = useForm(async () => {
    await unwrap(api.POST('/api/auth/forgot-password', { body: { email } }));
    setSentTo(email);
  });
  return (
    <Page title={sessionTexts.newPassword} class="narrow" above={<SessionHeader />}>
      {sentTo !== null && <p class="note" role="status">{sessionTexts.resetSent(sentTo)}</p>}
      <form class="card" onSubmit={onSubmit}>
        <TextField
          label={sessionTexts.email} hint={sessionTexts.forgottenHint} type="email" autocomplete="username" required
          value={email} onValue={setEmail} error={fieldErrorsOf(error).at('email')}
        />
        <ErrorNote error={error} />
        <Button type="submit" variant="primary" isBusy={isBusy}>{sessionTexts.sendLink}</Button>
      </form>
      <nav class="session-links" aria-label={sessionTexts.alternatives}><a href="/sign-in">{sessionTexts.backToSignIn}</a></nav>
    </Page>
  );
}
