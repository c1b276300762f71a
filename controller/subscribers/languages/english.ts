import type { SubscriberTexts } from './texts.ts';

export const ENGLISH: SubscriberTexts = {
  pleaseConfirm: 'Please confirm your subscription',
  mailComes: (page) => `We send you a mail with a link that confirms your subscription to ${page}. `
    + 'If it does not arrive, look among the spam.',
  confirm: 'Confirm your subscription',
  confirmHint: 'Click the button to receive the updates.',
  confirmed: 'Subscription confirmed',
  receives: (email, page) => `${email} receives the updates of ${page}.`,
  receivesNothing: (email, page) => `${email} receives no updates of ${page}.`,
  choices: 'What you receive',
  topics: {
    critical_incidents: 'Critical incidents', all_incidents: 'All incidents', maintenance: 'Maintenance',
  },
  howOften: 'How often',
  frequencies: {
    immediate: 'At once', hourly: 'Once an hour, in one mail', daily: 'Once a day, in one mail',
  },
  webhook: 'Webhook (optional)',
  webhookHint: 'Also receives each update as JSON, at once.',
  save: 'Save',
  saved: 'Saved.',
  unsubscribe: 'Unsubscribe',
  unsubscribed: 'You are unsubscribed',
  notSubscribed: 'You are not subscribed',
  wanted: (page) =>
    `Someone, hopefully you, wants to receive the updates of the status page "${page}" at this address.`,
  within: 'Please confirm it within 24 hours:',
  ignore: 'If you did not ask for this mail, ignore it.',
  alreadySubscribed: 'You are subscribed already',
  receivesAlready: (page) =>
    `You receive the updates of the status page "${page}" already. `
    + 'You can change what you receive, or unsubscribe:',
  why: (page) => `You receive this mail because you subscribe to the status page "${page}".`,
  statusPage: 'Status page',
  updates: (count) => (count === 1 ? '1 update' : `${count} updates`),
  maintenance: 'Maintenance:',
  phases: {
    before: (start, end) => `Maintenance is planned from ${start} to ${end}.`,
    start: (_start, end) => `Maintenance has begun. It is planned to end on ${end}.`,
    end: () => 'Maintenance is over.',
    cancelled: (start, end) =>
      `The maintenance that was planned from ${start} `
      + `to ${end} is cancelled or over.`,
  },
};
