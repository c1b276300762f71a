import { catalogue } from './catalogue.ts';

const english = {
  hello: (name: string) => `Welcome, ${name}`, later: 'Go to the monitors', done: 'done',
  intro: 'Three steps to be told of an outage before your visitors are. Each can be skipped, and changed later.',
  watch: 'Watch the first address', tell: 'Choose where alerts go', from: 'Watch from another place',
  address: 'Address', addressHint: 'A web page or an API. It is checked at once; nothing is saved yet.',
  check: 'Check it now', watchIt: 'Watch it', watchAnyway: 'Watch it anyway', moreSettings: 'More settings',
  otherTypes: 'Watch something else: a port, a name server, a host, a cron job',
  watched: (name: string) => `${name} is watched every minute.`, see: 'See how it does', another: 'Watch something else',
  by: 'By', email: 'E-mail', slack: 'Slack', webhook: 'Webhook', emailAddress: 'Address', url: 'URL',
  emailHint: 'Several with commas between them.', slackHint: 'An incoming webhook of your workspace.',
  webhookHint: 'Receives each alert as signed JSON.',
  createAndSend: 'Save and send a test', sendSample: 'Send a test', sendAgain: 'Send another test', change: 'Change',
  tells: (address: string) => `All alerts go to ${address}.`,
  delivered: 'A test alert is on its way. Has it arrived? Then you will hear of outages.',
  notDelivered: (why: string) => `The test could not be delivered: ${why}`,
  noProbe: 'No probe is online, so nothing can be checked. Start one:',
  probes: (names: string) => `Checks come from ${names}. With probes in several places, one bad line is no outage.`,
  allProbes: 'All probes',
};

export const welcomeTexts = catalogue(english, { de: () => import('./de/welcome.ts') });
export type WelcomeTexts = typeof english;
