import type { SessionTexts } from '../session.ts';
import type { Translation } from '../catalogue.ts';

const german: Translation<SessionTexts> = {
  ended: 'Ihre Sitzung ist zu Ende', endedLong: 'Melden Sie sich an, um weiterzumachen. Ihre Eingaben bleiben erhalten.', somebodyElse: 'Anderes Konto benutzen',
  signIn: 'Anmelden', email: 'E-Mail-Adresse', password: 'Passwort', language: 'Sprache', otherWays: 'Andere Wege',
  forgotten: 'Passwort vergessen?', signUp: 'Konto anlegen', haveAccount: 'Schon ein Konto? Anmelden',
  byInvitation: 'Neue Personen kommen durch Einladung dazu.',
  closed: 'Hier kann man sich nicht selbst registrieren. Bitten Sie um eine Einladung; deren Mail führt weiter.',
  first: 'Willkommen bei Farwatch', createOperator: 'Betreiberkonto anlegen',
  firstLong: 'Hier hat noch niemand ein Konto. Ihres ist das erste und macht Sie zum Betreiber dieser Installation.',
  name: 'Ihr Name', passwordHint: 'Mindestens 10 Zeichen.', organization: 'Name Ihrer Organisation',
  organizationHint: 'Er lässt sich später ändern.',
  newPassword: 'Neues Passwort wählen', forgottenHint: 'Wir schicken Ihnen einen Link. Er gilt eine Stunde.',
  sendLink: 'Link schicken', backToSignIn: 'Zurück zur Anmeldung',
  resetSent: (email) => `Wenn ${email} ein Konto hat, ist eine Mail unterwegs. Sehen Sie auch im Spam nach.`,
  verify: 'E-Mail-Adresse bestätigen',
  verifyLong: (email) => `Wir haben einen Link an ${email} geschickt. Öffnen Sie ihn, und kommen Sie hierher zurück.`,
  verifyHint: 'Er gilt 24 Stunden. Solange die Adresse nicht bestätigt ist, lässt sich sonst nichts benutzen.',
  haveVerified: 'Ich habe sie bestätigt', sendAgain: 'Mail noch einmal schicken', sentAgain: 'Die Mail ist unterwegs.',
  notKept: 'Das Passwort stimmt, aber Ihr Browser hat keine Sitzung bekommen. Der Proxy vor Farwatch muss den Host-Header weitergeben, oder BASE_URL muss die Adresse dieser Seite sein.',
  stillUnverified: 'Die Adresse ist noch nicht bestätigt.', signOut: 'Abmelden',
  invitation: 'Ihre Einladung', join: (organization) => `${organization} beitreten`, accept: 'Einladung annehmen',
  invitedAs: (email) => `Sie sind als ${email} eingeladen.`, knownPasswordHint: 'Das des Kontos, das diese Adresse hier hat.',
  signedInAs: (email) => `Sie sind hier als ${email} angemeldet. Mit der Annahme sind Sie stattdessen mit der eingeladenen Adresse angemeldet.`,
  deadInvitation: 'Diese Einladung gilt nicht mehr', toConsole: 'Zu Farwatch',
  deadInvitationLong: 'Sie wurde angenommen oder zurückgezogen, ist abgelaufen, oder ihr Link ist unvollständig. Bitten Sie um eine neue.',
};

export default german;
