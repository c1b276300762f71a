import type { SubscriberTexts } from './texts.ts';

export const ENGLISH: SubscriberTexts = {
  pleaseConfirm: 'Please confirm your subscription',
  checkInbox: (page) => `We’re emailing you a link to confirm your subscription to ${page}. `
    + 'Check your spam folder if it doesn’t arrive.',
  confirm: 'Confirm your subscription',
  confirmHint: 'Click the button to receive updates.',
  confirmed: 'Subscription confirmed',
  receives: (email, page) => `${email} receives updates from ${page}.`,
  receivesNothing: (email, page) => `${email} receives no updates from ${page}.`,
  choices: 'Notification preferences',
  topics: {
    critical_incidents: 'Critical incidents', all_incidents: 'All incidents', maintenance: 'Maintenance',
  },
  howOften: 'Frequency',
  frequencies: {
    immediate: 'Immediately', hourly: 'Once an hour, in one email', daily: 'Once a day, in one email',
  },
  webhook: 'Webhook (optional)',
  webhookHint: 'Also receives each update immediately, as JSON.',
  save: 'Save',
  saved: 'Saved.',
  unsubscribe: 'Unsubscribe',
  unsubscribed: 'You’ve been unsubscribed',
  notSubscribed: 'You’re not subscribed',
  confirmationIntro: (page) =>
    `Someone, hopefully you, asked to receive updates from the status page "${page}" at this address.`,
  confirmBefore: 'Confirm your subscription within 24 hours:',
  ignore: 'If you didn’t ask for this email, ignore it.',
  alreadySubscribed: 'You’re already subscribed',
  receivesAlready: (page) =>
    `You already receive updates from the status page "${page}". `
    + 'Change your preferences or unsubscribe here:',
  reason: (page) => `You’re receiving this email because you subscribed to the status page "${page}".`,
  statusPage: 'Status page',
  updates: (count) => (count === 1 ? '1 update' : `${count} updates`),
  maintenance: 'Maintenance:',
  phases: {
    before: (start, end) => `Maintenance is scheduled from ${start} to ${end}.`,
    start: (_start, end) => `Maintenance has started. It is scheduled to end on ${end}.`,
    end: () => 'Maintenance has ended.',
    cancelled: (start, end) =>
      `The maintenance scheduled from ${start} to ${end} has been canceled or has ended.`,
  },
};
