import type { SubscriberTexts } from './texts.ts';

export const FRENCH: SubscriberTexts = {
  pleaseConfirm: 'Veuillez confirmer votre abonnement',
  checkInbox: (page) => `Vous allez recevoir un e-mail avec un lien qui confirme votre abonnement à ${page}. `
    + 'S’il n’arrive pas, regardez dans les indésirables.',
  confirm: 'Confirmer votre abonnement',
  confirmHint: 'Cliquez sur le bouton pour recevoir les mises à jour.',
  confirmed: 'Abonnement confirmé',
  receives: (email, page) => `${email} reçoit les mises à jour de ${page}.`,
  receivesNothing: (email, page) => `${email} ne reçoit pas les mises à jour de ${page}.`,
  choices: 'Ce que vous recevez',
  topics: {
    critical_incidents: 'Incidents critiques', all_incidents: 'Tous les incidents',
    maintenance: 'Maintenance',
  },
  howOften: 'Fréquence',
  frequencies: {
    immediate: 'Immédiatement', hourly: 'Une fois par heure, en un e-mail',
    daily: 'Une fois par jour, en un e-mail',
  },
  webhook: 'Webhook (facultatif)',
  webhookHint: 'Reçoit aussi chaque mise à jour en JSON, immédiatement.',
  save: 'Enregistrer',
  saved: 'Enregistré.',
  unsubscribe: 'Se désabonner',
  unsubscribed: 'Vous êtes désabonné',
  notSubscribed: 'Vous n’êtes pas abonné',
  confirmationIntro: (page) =>
    'Quelqu’un, vous sans doute, souhaite recevoir à cette adresse '
    + `les mises à jour de la page d’état « ${page} ».`,
  confirmBefore: 'Veuillez le confirmer dans les 24 heures :',
  ignore: 'Si vous n’avez pas demandé cet e-mail, ignorez-le.',
  alreadySubscribed: 'Vous êtes déjà abonné',
  receivesAlready: (page) =>
    `Vous recevez déjà les mises à jour de la page d’état « ${page} ». `
    + 'Vous pouvez changer ce que vous recevez, ou vous désabonner :',
  reason: (page) => `Vous recevez cet e-mail parce que vous êtes abonné à la page d’état « ${page} ».`,
  statusPage: 'Page d’état',
  updates: (count) => (count === 1 ? '1 mise à jour' : `${count} mises à jour`),
  maintenance: 'Maintenance :',
  phases: {
    before: (start, end) => `Maintenance prévue : du ${start} au ${end}.`,
    start: (_start, end) => `La maintenance a commencé. Fin prévue : ${end}.`,
    end: () => 'La maintenance est terminée.',
    cancelled: (start, end) => `La maintenance prévue (du ${start} au ${end}) est annulée ou terminée.`,
  },
};
