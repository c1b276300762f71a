import { acceptedLanguage } from './accepted-language.ts';

const ENGLISH = {
  verify: 'Verify your email address', verifyLong: 'Click the button to verify this address.',
  verifyButton: 'Verify address', verified: 'Address verified', isVerified: (email: string) => `${email} is verified.`,
  reset: 'Choose a new password', resetLong: 'You will have to sign in again on all devices.',
  newPassword: 'New password', resetButton: 'Change password', changed: 'Password changed',
  changedLong: 'Sign in with the new password on all devices.', passwordHint: 'At least 10 characters.',
  signIn: 'Sign in',
  stop: 'Stop alert emails?',
  sends: (organization: string, address: string) =>
    `${organization} sends alerts about its monitors to ${address}.`,
  stopButton: 'Stop these emails', stopped: 'Alert emails stopped',
  noMore: (organization: string, address: string) =>
    `${address} no longer receives alert emails from ${organization}.`,
  resumeButton: 'Resume alert emails', resumed: 'Alert emails resumed',
  sendsAgain: (organization: string, address: string) =>
    `${address} receives alert emails from ${organization} again.`,
  acknowledge: 'Acknowledge this incident?', acknowledgeButton: 'Acknowledge', acknowledged: 'Incident acknowledged',
  isAcknowledged: (name: string) => `Acknowledged by ${name}.`, since: (at: string) => `Since ${at}.`,
  failed: 'Something went wrong', serverError: 'This is a problem on our side. Try again in a moment.',
};

export type MailPageTexts = typeof ENGLISH & {
  /** Translations of API messages, by invalid field and by error code. */
  faults?: Readonly<Record<string, string>>;
};

const GERMAN: MailPageTexts = {
  verify: 'E-Mail-Adresse bestätigen', verifyLong: 'Klicken Sie auf die Schaltfläche, um diese Adresse zu bestätigen.',
  verifyButton: 'Adresse bestätigen', verified: 'Adresse bestätigt', isVerified: (email) => `${email} ist bestätigt.`,
  reset: 'Neues Passwort wählen', resetLong: 'Auf allen Geräten müssen Sie sich danach neu anmelden.',
  newPassword: 'Neues Passwort', resetButton: 'Passwort ändern', changed: 'Passwort geändert',
  changedLong: 'Melden Sie sich auf allen Geräten mit dem neuen Passwort an.', passwordHint: 'Mindestens 10 Zeichen.',
  signIn: 'Anmelden',
  stop: 'Alarm-Mails abbestellen?',
  sends: (organization, address) =>
    `${organization} sendet Alarme zu den eigenen Monitoren an ${address}.`,
  stopButton: 'Mails abbestellen', stopped: 'Alarm-Mails sind abbestellt',
  noMore: (organization, address) => `${address} erhält keine Alarm-Mails von ${organization} mehr.`,
  resumeButton: 'Alarm-Mails wieder erhalten', resumed: 'Alarm-Mails sind wieder aktiv',
  sendsAgain: (organization, address) => `${address} erhält die Alarm-Mails von ${organization} wieder.`,
  acknowledge: 'Diesen Vorfall bestätigen?', acknowledgeButton: 'Bestätigen', acknowledged: 'Vorfall bestätigt',
  isAcknowledged: (name) => `Bestätigt von ${name}.`, since: (at) => `Seit ${at}.`,
  failed: 'Etwas ist schiefgegangen',
  serverError: 'Der Fehler liegt bei uns. Bitte versuchen Sie es gleich noch einmal.',
  faults: {
    token: 'Dieser Link ist ungültig: Er wurde schon benutzt, ist abgelaufen oder unvollständig.',
    password: 'Das Passwort muss 10 bis 200 Zeichen haben',
    RATE_LIMIT_EXCEEDED: 'Zu viele Versuche. Bitte versuchen Sie es später noch einmal.',
  },
};

const TEXTS = { en: ENGLISH, de: GERMAN } as const;
type MailPageLanguage = keyof typeof TEXTS;

/** Texts in one language of the pages that emails link to. */
export interface LocalizedMailPage {
  language: MailPageLanguage;
  texts: MailPageTexts;
}

/** Picks the language by Accept-Language; English if it names no supported one. */
export function localizeMailPage(languages: string | undefined): LocalizedMailPage {
  const language = acceptedLanguage(languages, Object.keys(TEXTS) as MailPageLanguage[]) ?? 'en';
  return { language, texts: TEXTS[language] };
}
