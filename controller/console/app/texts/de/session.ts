import type { SessionTexts } from '../session.ts';
import type { Translation } from '../catalogue.ts';

const german: Translation<SessionTexts> = {
  ended: 'Ihre Sitzung ist abgelaufen', endedText: 'Melden Sie sich an, um weiterzumachen. Ihre Eingaben bleiben erhalten.', switchAccount: 'Anderes Konto verwenden',
  signIn: 'Anmelden', email: 'E-Mail-Adresse', password: 'Passwort', language: 'Sprache', alternatives: 'Weitere Möglichkeiten',
  forgotten: 'Passwort vergessen?', signUp: 'Konto anlegen', haveAccount: 'Schon ein Konto? Anmelden',
  byInvitation: 'Neue Konten gibt es nur auf Einladung.',
  closed: 'Die Registrierung ist geschlossen. Bitten Sie einen Administrator um eine Einladung und öffnen Sie den Link in der Einladungsmail.',
  first: 'Willkommen bei Farwatch', createOperator: 'Betreiberkonto anlegen',
  firstText: 'Legen Sie das erste Konto an. Es macht Sie zum Betreiber dieser Installation.',
  name: 'Ihr Name', passwordHint: 'Mindestens 10 Zeichen.', organization: 'Name Ihrer Organisation',
  organizationHint: 'Sie können ihn später ändern.',
  newPassword: 'Neues Passwort wählen', forgottenHint: 'Wir senden Ihnen einen Link, der eine Stunde gültig ist.',
  sendLink: 'Link senden', backToSignIn: 'Zurück zur Anmeldung',
  resetSent: (email) => `Wenn ${email} ein Konto hat, haben wir eine E-Mail gesendet. Sehen Sie auch im Spam-Ordner nach.`,
  verify: 'E-Mail-Adresse bestätigen',
  verifyText: (email) => `Wir haben einen Link an ${email} gesendet. Öffnen Sie ihn und kommen Sie dann hierher zurück.`,
  verifyHint: 'Der Link ist 24 Stunden gültig. Sie können Farwatch erst verwenden, wenn Ihre Adresse bestätigt ist.',
  haveVerified: 'Ich habe sie bestätigt', sendAgain: 'E-Mail erneut senden', sentAgain: 'E-Mail gesendet.',
  sessionNotStored: 'Das Passwort stimmt, aber Ihr Browser hat das Sitzungs-Cookie nicht gespeichert. Der Proxy vor Farwatch muss den Host-Header weitergeben, oder BASE_URL muss der Adresse dieser Seite entsprechen.',
  stillUnverified: 'Die Adresse ist noch nicht bestätigt.', signOut: 'Abmelden',
  invitation: 'Ihre Einladung', join: (organization) => `${organization} beitreten`, accept: 'Einladung annehmen',
  invitedAs: (email) => `Sie sind als ${email} eingeladen.`, existingPasswordHint: 'Das Passwort Ihres bestehenden Kontos mit dieser Adresse.',
  signedInAs: (email) => `Sie sind hier als ${email} angemeldet. Mit der Annahme sind Sie stattdessen mit der eingeladenen Adresse angemeldet.`,
  invalidInvitation: 'Diese Einladung ist nicht mehr gültig', toConsole: 'Zu Farwatch',
  invalidInvitationText: 'Sie wurde angenommen oder zurückgezogen, ist abgelaufen, oder der Link ist unvollständig. Bitten Sie die Person, die Sie eingeladen hat, um eine neue.',
};

export default german;
