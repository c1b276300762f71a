import type { SettingTexts } from '../settings.ts';
import type { Translation } from '../catalogue.ts';

const german: Translation<SettingTexts> = {
  title: 'Einstellungen', account: 'Konto', organization: 'Organisation', people: 'Personen', projects: 'Projekte', keys: 'API-Schlüssel',
  plan: 'Tarif und Nutzung', audit: 'Änderungsprotokoll', name: 'Name', actions: 'Aktionen', create: 'Anlegen', saved: 'Gespeichert', never: 'nie',
  more: 'Mehr zeigen', done: 'Ich habe ihn gesichert', createdAt: 'Angelegt',
  newKey: 'Neuer API-Schlüssel', key: 'API-Schlüssel', keysLong: 'Sie gehören der Organisation und gelten weiter, wenn eine Person geht.',
  noKeys: 'Keine API-Schlüssel', noKeysLong: 'Programme und Skripte rufen damit die API auf.', scope: 'Darf', read: 'Lesen',
  read_write: 'Lesen und schreiben', lastUsed: 'Zuletzt benutzt', keyNameHint: 'Was ihn benutzt, zum Beispiel „Deployments“.',
  shownOnce: 'Jetzt kopieren: Er wird nicht noch einmal gezeigt.', rotate: 'Ersetzen', revoke: 'Widerrufen', revoked: 'Widerrufen',
  rotateOf: (name) => `${name} ersetzen`, revokeOf: (name) => `${name} widerrufen`,
  rotateLong: 'Der alte Schlüssel gilt sofort nicht mehr. Name und Rechte bleiben.', revokeLong: 'Er gilt sofort und endgültig nicht mehr.',
  address: 'Mailadresse', notVerified: 'Nicht bestätigt', password: 'Passwort', currentPassword: 'Bisheriges Passwort',
  newPassword: 'Neues Passwort', newPasswordHint: '10 bis 200 Zeichen. Alle anderen Sitzungen enden.', changePassword: 'Passwort ändern',
  passwordChanged: 'Passwort geändert', sessions: 'Wo Sie angemeldet sind', endAll: 'Überall abmelden',
  endAllLong: 'Beendet jede Sitzung Ihres Kontos, auch diese.', signedIn: 'Angemeldet', until: 'Bis', thisSession: 'Diese',
  endSession: 'Abmelden',
};

export default german;
