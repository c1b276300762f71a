import { useState } from 'preact/hooks';
import { answer, api } from '../api/client.ts';
import { sessionTexts } from '../texts/session.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { TextField } from '../ui/field.tsx';
import { Page } from '../ui/page.tsx';
import { readSession } from './session.ts';

export default function SignIn() {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [state, setState] = useState<{ isBusy: boolean; error: unknown }>({ isBusy: false, error: null });
  const signIn = async () => {
    setState({ isBusy: true, error: null });
    try {
      await answer(api.POST('/api/auth/login', { body: { email, password } }));
      await readSession();
    } catch (error) {
      setState({ isBusy: false, error });
    }
  };
  return (
    <Page title={sessionTexts.signIn} class="narrow">
      <form
        class="card"
        onSubmit={(event) => {
          event.preventDefault();
          void signIn();
        }}
      >
        <TextField label={sessionTexts.email} type="email" autocomplete="username" required value={email} onValue={setEmail} />
        <TextField label={sessionTexts.password} type="password" autocomplete="current-password" required value={password} onValue={setPassword} />
        <ErrorNote error={state.error} />
        <Button type="submit" variant="primary" isBusy={state.isBusy}>{sessionTexts.signIn}</Button>
      </form>
    </Page>
  );
}
