import type { Draft } from '../fit-monitor.ts';
import { fieldsOf, isTrue, listOf, numberOf, rowsOf, textOf, textsOf, type Fields } from '../loose.ts';
import { expectedStatus } from './expected-status.ts';
import { escapedBytes, literalOf } from './regular-expression.ts';

type Settings = Partial<Draft> & Pick<Draft, 'type'>;
type Assertion = NonNullable<NonNullable<Draft['assertions']>[number]>;

/** Settings of an HTTP module that change what is checked, and that Farwatch lacks. */
const LOST_HTTP = [
  'valid_http_versions', 'fail_if_ssl', 'fail_if_not_ssl', 'fail_if_body_json_matches_cel',
  'fail_if_body_json_not_matches_cel', 'proxy_url', 'body_file', 'body_size_limit',
];
const LOST_TLS = ['ca_file', 'cert_file', 'key_file', 'server_name', 'min_version', 'max_version'];

/** What a module checks of a target; null for a kind of check that Farwatch lacks. */
export function moduleSettings(module: Fields, target: string, notes: string[]): Settings | null {
  switch (textOf(module['prober'])) {
    case 'http': return httpSettings(fieldsOf(module['http']), target, notes);
    case 'tcp': return tcpSettings(fieldsOf(module['tcp']), target, notes);
    case 'dns': return dnsSettings(fieldsOf(module['dns']), target, notes);
    case 'icmp': return icmpSettings(fieldsOf(module['icmp']), target);
    default: return null;
  }
}

function httpSettings(http: Fields, target: string, notes: string[]): Settings {
  const tls = fieldsOf(http['tls_config']);
  const lost = [...LOST_HTTP.filter((name) => name in http), ...LOST_TLS.filter((name) => name in tls)];
  if (lost.length > 0) notes.push(`These settings of the module are left out: ${lost.join(', ')}.`);
  const follows = http['follow_redirects'] !== false && !isTrue(http['no_follow_redirects']);
  const body = typeof http['body'] === 'string' && http['body'] !== '' ? { body: http['body'] } : {};
  return {
    type: 'HTTP', target: /^https?:\/\//i.test(target) ? target : `http://${target}`,
    method: (textOf(http['method']).toUpperCase() || 'GET') as 'GET',
    headers: textsOf(http['headers']), follow_redirects: follows, ...body,
    ...(isTrue(tls['insecure_skip_verify']) ? { verify_ssl: false } : {}),
    ...expectedStatus(listOf(http['valid_status_codes']).map(textOf), notes),
    ...familyOf(http), ...authOf(http, notes), ...contentOf(http, notes),
  };
}

/** Only a module that does not fall back to the other family requires one. */
function familyOf(settings: Fields): Partial<Draft> {
  if (settings['ip_protocol_fallback'] !== false) return {};
  return { ip_family: textOf(settings['preferred_ip_protocol']) === 'ip4' ? 'ipv4' : 'ipv6' };
}

function authOf(http: Fields, notes: string[]): Partial<Draft> {
  const { username, password } = fieldsOf(http['basic_auth']);
  const { type, credentials } = fieldsOf(http['authorization']);
  const bearer = textOf(http['bearer_token']);
  if (textOf(username) !== '' && typeof password === 'string') return { auth: { type: 'basic', username: textOf(username), password } };
  if (bearer !== '') return { auth: { type: 'bearer', token: bearer } };
  if (textOf(credentials) !== '') {
    const scheme = textOf(type) || 'Bearer';
    return scheme.toLowerCase() === 'bearer' ? { auth: { type: 'bearer', token: textOf(credentials) } }
      : { headers: { ...textsOf(http['headers']), Authorization: `${scheme} ${textOf(credentials)}` } };
  }
  const used = ['basic_auth', 'authorization', 'bearer_token_file', 'oauth2'].filter((name) => name in http);
  if (used.length === 0) return {};
  notes.push(`It is paused, because the credentials of ${used.join(' and ')} are not in the file.`);
  return { status: 'paused' };
}

/** Expressions that are plain texts become keywords and assertions. */
function contentOf(http: Fields, notes: string[]): Partial<Draft> {
  const expressions = (name: string) => listOf(http[name]).map(textOf);
  const wanted = expressions('fail_if_body_not_matches_regexp').map((one) => ({ one, should_contain: true }));
  const unwanted = expressions('fail_if_body_matches_regexp').map((one) => ({ one, should_contain: false }));
  const found = [...wanted, ...unwanted].map((rule) => ({ literal: literalOf(rule.one), ...rule }));
  const lost = found.filter(({ literal }) => literal === null).map(({ one }) => one);
  const headers = ['fail_if_header_not_matches', 'fail_if_header_matches'].flatMap((name) =>
    rowsOf(http[name]).map((rule) => headerAssertion(rule, name === 'fail_if_header_not_matches')));
  if (lost.length > 0) notes.push(`The body is not checked for ${lost.join(', ')}, because keywords are plain texts.`);
  const assertions = headers.filter((one) => one !== null);
  if (assertions.length < headers.length) {
    notes.push('Some of its headers are not checked, because they are compared as plain texts.');
  }
  const keywords = found.flatMap(({ should_contain, literal }) =>
    (literal === null ? [] : { text: literal.text, should_contain }));
  const ignoresCase = found.some(({ literal }) => literal?.ignoresCase === true);
  return {
    ...(assertions.length > 0 ? { assertions } : {}),
    ...(keywords.length > 0
      ? { type: 'KEYWORD', keywords, match_mode: 'all', case_sensitive: !ignoresCase } as const : {}),
  };
}

function headerAssertion(rule: Fields, isWanted: boolean): Assertion | null {
  const literal = literalOf(textOf(rule['regexp']));
  // A missing header fails `contains`.
  if (literal === null || (isWanted && isTrue(rule['allow_missing']))) return null;
  const comparison = isWanted ? 'contains' : 'not_contains';
  return { source: 'header', property: textOf(rule['header']), comparison, target: literal.text };
}

function tcpSettings(tcp: Fields, target: string, notes: string[]): Settings {
  const steps = rowsOf(tcp['query_response']);
  const base = { type: 'TCP', target, protocol: 'generic', tls: isTrue(tcp['tls']) ? 'implicit' : 'none' } as const;
  if (steps.length === 0) return base;
  const sends = steps.flatMap(({ send }) => (typeof send === 'string' ? send : []));
  const expects = steps.flatMap(({ expect }) => (typeof expect === 'string' ? expect : []));
  const literal = literalOf(expects.at(-1) ?? '');
  const isPlain = steps.every(({ starttls }) => !isTrue(starttls));
  const isSimple = isPlain && sends.length <= 1 && expects.length <= 1;
  if (!isSimple || (expects.length > 0 && literal === null)) {
    notes.push('Its conversation with the server is not checked, only the connection.');
    return base;
  }
  return {
    ...base, ...(sends[0] === undefined ? {} : { send: `${escapedBytes(sends[0])}\\n` }),
    ...(literal === null ? {} : { expect: escapedBytes(literal.text) }),
  };
}

function dnsSettings(dns: Fields, target: string, notes: string[]): Settings {
  const checks = Object.keys(dns).filter((name) => name.startsWith('validate_'));
  const lost = [...checks, ...['transport_protocol', 'dns_over_tls'].filter((name) => name in dns && dns[name] !== 'udp')];
  if (lost.length > 0) notes.push(`These settings of the module are left out: ${lost.join(', ')}.`);
  const rcodes = listOf(dns['valid_rcodes']).map(textOf);
  if (rcodes.length > 0 && rcodes.join() !== 'NOERROR') notes.push(`Only NOERROR passes, not ${rcodes.join(', ')}.`);
  const type = textOf(dns['query_type']).toUpperCase() || 'ANY';
  if (type === 'ANY') notes.push('It asks for A records, because Farwatch has no query of the type ANY.');
  return {
    type: 'DNS', target: textOf(dns['query_name']).replace(/\.$/, ''), dns_server: target,
    record_entries: [{ type: (type === 'ANY' ? 'A' : type) as 'A' }],
  };
}

function icmpSettings(icmp: Fields, target: string): Settings {
  const [size, ttl] = [numberOf(icmp['payload_size']), numberOf(icmp['ttl'])];
  return { type: 'ICMP', target, icmp_config: {
    ...(size === null ? {} : { packet_size: size }), ...(ttl === null || ttl < 1 ? {} : { ttl }),
  } };
}
