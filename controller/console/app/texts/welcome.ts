import { catalogue } from './catalogue.ts';

const english = {
  hello: (name: string) => `Welcome, ${name}`, later: 'Go to monitors', done: 'done',
  intro: 'Set up monitoring in three steps. You can skip any of them and change everything later.',
  addMonitor: 'Add your first monitor', addDestination: 'Choose where alerts go', addProbe: 'Check from another location',
  address: 'Address', addressHint: 'The URL of a website or API. We’ll check it without saving anything.',
  check: 'Check now', createMonitor: 'Create monitor', createAnyway: 'Create monitor anyway', moreSettings: 'More settings',
  otherTypes: 'Monitor something else, such as a port, host, DNS record or cron job',
  monitored: (name: string) => `${name} is checked every minute.`, viewMonitor: 'View monitor', another: 'Add another monitor',
  channel: 'Send via', email: 'Email', slack: 'Slack', webhook: 'Webhook', emailAddress: 'Address', url: 'URL',
  emailHint: 'Separate multiple addresses with commas.', slackHint: 'The URL of an incoming webhook in your workspace.',
  webhookHint: 'Receives each alert as signed JSON.',
  otherDestinations: 'Send alerts somewhere else, such as to Teams, Discord, Telegram, PagerDuty or a phone',
  createAndSend: 'Save and send test alert', sendSample: 'Send test alert', sendAgain: 'Send another test alert', change: 'Change',
  alertsGoTo: (address: string) => `All alerts go to ${address}.`,
  delivered: 'Test alert sent. If it arrives, outage alerts will too.',
  notDelivered: (why: string) => `Couldn’t deliver the test alert: ${why}`,
  noProbe: 'No probe is online, so checks can’t run. Start one:',
  probes: (names: string) => `Checks run from ${names}. With probes in several locations, one bad network connection won’t look like an outage.`,
  allProbes: 'All probes',
};

export const welcomeTexts = catalogue(english, { de: () => import('./de/welcome.ts') });
export type WelcomeTexts = typeof english;
