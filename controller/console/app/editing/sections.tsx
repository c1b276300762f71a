import type { ComponentChildren } from 'preact';
import { editingTexts } from '../texts/editing.ts';
import { AssertionsField, KeywordsField, RecordsField } from './answer-fields.tsx';
import { AreaOf, CheckOf, ListOf, NumberOf, SelectOf, TextOf } from './auto-field.tsx';
import { DestinationsField, GroupField, PolicyField, RegionsField } from './choices.tsx';
import type { MonitorType } from './fields.ts';
import { useFormField } from './form-context.ts';
import { AuthField, HeadersField, StatusField } from './request-fields.tsx';

function Part({ title, children }: { title: string; children: ComponentChildren }) {
  return <fieldset><legend>{title}</legend>{children}</fieldset>;
}

/** Closed at first: most monitors do without. */
function More({ title, children }: { title: string; children: ComponentChildren }) {
  return <details class="more"><summary>{title}</summary><div class="more-fields">{children}</div></details>;
}

const EXAMPLES: Record<MonitorType, string> = {
  HTTP: 'https://example.com', KEYWORD: 'https://example.com', TCP: 'mail.example.com', ICMP: 'example.com',
  DNS: 'example.com', HEARTBEAT: '',
};

/** What is checked, and how often. */
export function CheckSection({ type }: { type: MonitorType }) {
  return (
    <Part title={editingTexts.what}>
      {type !== 'HEARTBEAT' && <TextOf path="target" placeholder={EXAMPLES[type]} isRequired />}
      {type === 'TCP' && <TcpFields />}
      {type === 'DNS' && <><RecordsField /><TextOf path="dns_config.dns_server" placeholder="9.9.9.9" /></>}
      {type === 'KEYWORD' && (
        <>
          <KeywordsField />
          <div class="fields">
            <SelectOf path="keyword_config.match_mode" texts={{ all: editingTexts.allKeywords, any: editingTexts.anyKeyword }} />
            <CheckOf path="keyword_config.case_sensitive" />
          </div>
        </>
      )}
      <TextOf path="name" isRequired={type === 'HEARTBEAT'} />
      <div class="fields">
        {type === 'HEARTBEAT'
          ? <><NumberOf path="heartbeat_interval" /><NumberOf path="grace_period" /></>
          : <><NumberOf path="interval_seconds" /><NumberOf path="timeout_ms" /></>}
      </div>
      {type === 'ICMP' && (
        <More title={editingTexts.packets}>
          <div class="fields">
            <NumberOf path="icmp_config.packet_count" /><NumberOf path="icmp_config.packet_size" />
            <NumberOf path="icmp_config.timeout_ms" /><NumberOf path="icmp_config.ttl" />
          </div>
        </More>
      )}
      {type === 'DNS' && <More title={editingTexts.moreFields}><NumberOf path="dns_config.resolution_timeout_ms" /></More>}
    </Part>
  );
}

function TcpFields() {
  const { value: protocol } = useFormField<string>('tcp_config.protocol');
  return (
    <>
      <div class="fields">
        <NumberOf path="tcp_config.port" />
        <SelectOf path="tcp_config.protocol" texts={{ generic: editingTexts.generic }} />
        <SelectOf path="tcp_config.tls" none={editingTexts.usualTls} />
      </div>
      {protocol === 'generic'
        ? <div class="fields"><AreaOf path="tcp_config.send" /><AreaOf path="tcp_config.expect" /></div>
        : <CheckOf path="tcp_config.protocol_validation" />}
    </>
  );
}

/** The request of a web check, and what its answer must be. */
export function WebSections() {
  const { value: method } = useFormField<string>('method');
  return (
    <>
      <Part title={editingTexts.answer}>
        <div class="fields"><StatusField /><NumberOf path="slow_response_threshold_ms" /></div>
        <AssertionsField />
      </Part>
      <Part title={editingTexts.request}>
        <SelectOf path="method" />
        <HeadersField />
        {method !== 'GET' && method !== 'HEAD' && <AreaOf path="body" />}
        <AuthField />
        <More title={editingTexts.moreFields}>
          <div class="fields"><CheckOf path="follow_redirects" /><NumberOf path="max_redirects" /></div>
          <CheckOf path="verify_ssl" />
          <div class="fields">
            <SelectOf path="ip_family" texts={{ any: editingTexts.anyFamily, ipv4: 'IPv4', ipv6: 'IPv6' }} />
            <TextOf path="connect_to" placeholder="192.0.2.1:8443" />
          </div>
        </More>
      </Part>
    </>
  );
}

/** From where, when it is down, who hears of it, and where it is found. */
export function CommonSections({ type }: { type: MonitorType }) {
  const isChecked = type !== 'HEARTBEAT';
  return (
    <>
      {isChecked && <Part title={editingTexts.where}><RegionsField /><PolicyField /></Part>}
      <Part title={editingTexts.alerts}>
        <DestinationsField />
        {['HTTP', 'KEYWORD', 'TCP'].includes(type) && <Warnings of="ssl_monitoring" />}
        {isChecked && <Warnings of="domain_monitoring" />}
      </Part>
      <Part title={editingTexts.order}><div class="fields"><GroupField /><ListOf path="tags" /></div></Part>
    </>
  );
}

function Warnings({ of }: { of: 'ssl_monitoring' | 'domain_monitoring' }) {
  const { value: isOn } = useFormField<boolean>(`${of}.enabled`);
  return (
    <div class="warnings">
      <CheckOf path={`${of}.enabled`} />
      {isOn && (
        <div class="fields">
          <ListOf path={`${of}.expiry_warning_days`} isNumbers />
          {of === 'ssl_monitoring' && <><CheckOf path="ssl_monitoring.check_expiry" /><CheckOf path="ssl_monitoring.check_validity" /></>}
        </div>
      )}
    </div>
  );
}
