import { catalogue } from './catalogue.ts';

const english = {
  title: 'Status pages', page: 'Page', newPage: 'New status page', none: 'No status page yet', back: 'All status pages',
  noneLong: 'A status page tells your customers how your monitors are, and what you do about troubles.',
  state: 'State', draft: 'Draft', published: 'Published', archived: 'Archived', monitors: 'Monitors', subscribers: 'Subscribers',
  views7d: 'Views in 7 days', views: (day: string, month: string) => `${day} views in 24 hours, ${month} in 30 days`,
  create: 'Create', created: 'Created. Nobody sees it until it is published.', name: 'Name', subdomain: 'Subdomain',
  subdomainHint: '3 to 63 of a–z, 0–9 and hyphens. It cannot be changed later.', saved: 'Saved', more: 'More',
  publish: 'Publish', unpublish: 'Make it a draft', archive: 'Archive', deleteOf: (name: string) => `Delete ${name}?`,
  deleteLong: (name: string) => `Its address stops working at once. Type “${name}” to confirm.`,
  preview: 'Preview', noPreview: 'The preview could not be read.',
  noMonitors: 'Readers see no monitor yet.', addMonitor: 'Add a monitor', choose: 'Choose…', displayName: 'Shown as',
  group: 'Group', visible: 'Visible', shownAs: (name: string) => `Name of ${name} on the page`, groupOf: (name: string) => `Group of ${name}`,
  upOf: (name: string) => `Move ${name} up`, downOf: (name: string) => `Move ${name} down`, removeOf: (name: string) => `Take ${name} off the page`,
  settings: 'Settings', description: 'Description', timezone: 'Time zone', indexed: 'Search engines may list it', shown: 'What it shows',
  uptime: 'Uptime', timeframes: 'Uptime of', responseTimes: 'Response times', maintenanceCounts: 'Maintenance counts against uptime',
  historyDays: 'Incidents of the last', days: 'days', automatic: 'Automatic posts', autoPublish: 'Post incidents that checks open',
  autoPublishHint: 'Only of monitors that the page shows.', ofSeverity: 'Of severity', critical: 'Critical', major: 'Major', minor: 'Minor',
  branding: 'Branding', scheme: 'Appearance', system: 'As the reader has it', light: 'Light', dark: 'Dark', ownColor: 'Own colour', color: 'Colour',
  logo: 'Logo', imageHint: 'Address of an image, with https.', favicon: 'Icon', header: 'Text above', footer: 'Text below', css: 'Own CSS',
  cssHint: 'Colours, fonts, borders and space. It cannot load anything.',
  domain: 'Own domain', domainHint: 'Empty: the page has none.', verification: 'Verification', verified: 'Verified', notVerified: 'Not verified',
  records: 'One of these records in DNS is enough:', verify: 'Check DNS now',
  posts: 'Posts', newPost: 'New post', post: 'Post', posted: 'Posted', noPosts: 'No posts', postTitle: 'Title', message: 'Message',
  noPostsLong: 'Posts tell readers of troubles and how you deal with them.', newPostLong: 'Readers see it at once, and subscribers are told.',
  severity: 'Severity', affected: 'Affected monitors', update: 'Post an update', automaticPost: 'automatic', investigating: 'Investigating',
  identified: 'Identified', monitoring: 'Monitoring', resolved: 'Resolved', deletePostLong: 'It disappears from the page and its feeds.',
  showMore: 'Show more', searchAddress: 'Part of the address', all: 'All', unverified: 'Not confirmed', unsubscribed: 'Unsubscribed',
  address: 'Address', wants: 'Wants', since: 'Since', webhook: 'Webhook', allIncidents: 'all incidents', criticalIncidents: 'critical incidents',
  maintenance: 'maintenance', immediate: 'at once', hourly: 'hourly', daily: 'daily', noSubscribers: 'No subscribers',
  chooseAll: 'Choose all', chooseOne: (email: string) => `Choose ${email}`, chosen: (count: string) => `${count} chosen`,
  notify: 'Mail a message', notifySome: (count: string) => `Mail a message to ${count}`, subject: 'Subject', export: 'Export as CSV',
  notifyLong: 'Only those who have confirmed and not unsubscribed receive it.',
  deleteSubscribers: (count: string) => `Delete ${count} subscribers?`, deleteSubscribersLong: 'They are told of nothing any more.',
};

export const pageTexts = catalogue(english, { de: () => import('./de/pages.ts') });
export type PageTexts = typeof english;
