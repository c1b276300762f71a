import { useState } from 'preact/hooks';
import { unwrap, api } from '../api/client.ts';
import { me, readSession, signOut } from '../api/session.ts';
import { sessionTexts } from '../texts/session.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { Page } from '../ui/page.tsx';
import { toastError } from '../ui/toast.tsx';
import { useForm } from '../ui/use-form.ts';
import { SessionHeader } from './session-header.tsx';

/** Replaces every view until the account's email address is verified. */
export default function Unverified() {
  const email = me.value?.user.email ?? '';
  const [isSent, setSent] = useState(false);
  const [isStillUnverified, setStillUnverified] = useState(false);
  const { onSubmit, isBusy, error } = useForm(async () => {
    await unwrap(api.POST('/api/auth/resend-verification', { body: { email } }));
    setSent(true);
  });
  const recheck = async () => {
    await readSession();
    setStillUnverified(me.value?.user.email_verified === false);
  };
  return (
    <Page title={sessionTexts.verify} class="narrow" above={<SessionHeader />}>
      <form class="card" onSubmit={onSubmit}>
        <p>{sessionTexts.verifyText(email)}</p>
        <p class="faint">{sessionTexts.verifyHint}</p>
        {isSent && <p class="note" role="status">{sessionTexts.sentAgain}</p>}
        {isStillUnverified && <p class="note" role="status">{sessionTexts.stillUnverified}</p>}
        <ErrorNote error={error} />
        <Button variant="primary" onClick={() => void recheck()}>{sessionTexts.haveVerified}</Button>
        <Button type="submit" isBusy={isBusy}>{sessionTexts.sendAgain}</Button>
        <Button variant="quiet" onClick={() => void signOut().catch(toastError)}>{sessionTexts.signOut}</Button>
      </form>
    </Page>
  );
}
