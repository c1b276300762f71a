import { useEffect, useState } from 'preact/hooks';
import { unwrap, api } from '../api/client.ts';
import { clearSession, me, resumeSession } from '../api/session.ts';
import { sessionTexts } from '../texts/session.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { TextField } from '../ui/field.tsx';
import { useForm } from '../ui/use-form.ts';

/** A dialog above the current view, so that no input is lost. */
export function SignInAgain() {
  const [password, setPassword] = useState('');
  const email = me.value?.user.email ?? '';
  const { onSubmit, isBusy, error } = useForm(async () => {
    await unwrap(api.POST('/api/auth/login', { body: { email, password } }));
    await resumeSession();
  });
  useEffect(() => {
    // The user may have signed in again in another tab.
    const onFocus = () => void resumeSession().catch(() => {});
    addEventListener('focus', onFocus);
    return () => removeEventListener('focus', onFocus);
  }, []);
  return (
    <Dialog title={sessionTexts.ended}>
      <p>{sessionTexts.endedText}</p>
      <form onSubmit={onSubmit}>
        <TextField label={sessionTexts.email} type="email" autocomplete="username" readOnly value={email} onValue={() => {}} />
        <TextField
          label={sessionTexts.password} type="password" autocomplete="current-password" required autofocus value={password}
          onValue={setPassword}
        />
        <ErrorNote error={error} />
        <footer>
          <Button onClick={clearSession}>{sessionTexts.switchAccount}</Button>
          <Button type="submit" variant="primary" isBusy={isBusy}>{sessionTexts.signIn}</Button>
        </footer>
      </form>
    </Dialog>
  );
}
