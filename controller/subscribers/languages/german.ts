import type { SubscriberTexts } from './texts.ts';

export const GERMAN: SubscriberTexts = {
  pleaseConfirm: 'Bitte bestätigen Sie Ihr Abonnement',
  checkInbox: (page) => `Sie erhalten eine E-Mail mit einem Link, der Ihr Abonnement von ${page} bestätigt. `
    + 'Wenn sie nicht ankommt, sehen Sie im Spam-Ordner nach.',
  confirm: 'Abonnement bestätigen',
  confirmHint: 'Klicken Sie auf die Schaltfläche, um die Neuigkeiten zu erhalten.',
  confirmed: 'Abonnement bestätigt',
  receives: (email, page) => `${email} erhält die Neuigkeiten von ${page}.`,
  receivesNothing: (email, page) => `${email} erhält keine Neuigkeiten von ${page}.`,
  choices: 'Was Sie erhalten',
  topics: {
    critical_incidents: 'Kritische Störungen', all_incidents: 'Alle Störungen',
    maintenance: 'Wartungsarbeiten',
  },
  howOften: 'Wie oft',
  frequencies: {
    immediate: 'Sofort', hourly: 'Einmal pro Stunde, in einer E-Mail',
    daily: 'Einmal am Tag, in einer E-Mail',
  },
  webhook: 'Webhook (optional)',
  webhookHint: 'Erhält jede Neuigkeit außerdem sofort als JSON.',
  save: 'Speichern',
  saved: 'Gespeichert.',
  unsubscribe: 'Abmelden',
  unsubscribed: 'Sie sind abgemeldet',
  notSubscribed: 'Sie haben kein Abonnement',
  confirmationIntro: (page) =>
    `Jemand, hoffentlich Sie, möchte die Neuigkeiten der Statusseite „${page}“ an diese Adresse erhalten.`,
  confirmBefore: 'Bitte bestätigen Sie das innerhalb von 24 Stunden:',
  ignore: 'Wenn Sie nicht um diese E-Mail gebeten haben, ignorieren Sie sie.',
  alreadySubscribed: 'Sie haben schon abonniert',
  receivesAlready: (page) =>
    `Sie erhalten die Neuigkeiten der Statusseite „${page}“ schon. `
    + 'Hier ändern Sie, was Sie erhalten, oder melden sich ab:',
  reason: (page) => `Sie erhalten diese E-Mail, weil Sie die Statusseite „${page}“ abonniert haben.`,
  statusPage: 'Statusseite',
  updates: (count) => (count === 1 ? '1 Neuigkeit' : `${count} Neuigkeiten`),
  maintenance: 'Wartung:',
  phases: {
    before: (start, end) => `Geplante Wartungsarbeiten: ${start} bis ${end}.`,
    start: (_start, end) => `Die Wartungsarbeiten haben begonnen. Geplantes Ende: ${end}.`,
    end: () => 'Die Wartungsarbeiten sind beendet.',
    cancelled: (start, end) =>
      `Die geplanten Wartungsarbeiten (${start} bis `
      + `${end}) sind abgesagt oder beendet.`,
  },
};
