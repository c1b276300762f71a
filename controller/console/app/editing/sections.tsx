import type { ComponentChildren } from 'preact';
import { editingTexts } from '../texts/editing.ts';
import { incidentTexts } from '../texts/incidents.ts';
import { AssertionsField, KeywordsField, RecordsField } from './response-fields.tsx';
import { AutoTextArea, AutoCheckbox, AutoListField, AutoNumberField, AutoSelectField, AutoTextField } from './auto-field.tsx';
import { DependenciesField, DestinationsField, GroupField, PolicyField, RegionsField } from './choices.tsx';
import type { MonitorType } from './fields.ts';
import { useFormField } from './form-context.ts';
import { HeartbeatFields } from './heartbeat-fields.tsx';
import { AuthField, HeadersField, StatusField } from './request-fields.tsx';
import { VariablesHint } from './variables-hint.tsx';

function FormSection({ title, children }: { title: string; children: ComponentChildren }) {
  return <fieldset><legend>{title}</legend>{children}</fieldset>;
}

/** Collapsed by default: most monitors don't need these fields. */
function MoreFields({ title, children }: { title: string; children: ComponentChildren }) {
  return <details class="more"><summary>{title}</summary><div class="more-fields">{children}</div></details>;
}

const EXAMPLES: Record<MonitorType, string> = {
  HTTP: 'https://example.com', KEYWORD: 'https://example.com', TCP: 'mail.example.com', ICMP: 'example.com',
  DNS: 'example.com', HEARTBEAT: '',
};

/** Target and interval. */
export function CheckSection({ type }: { type: MonitorType }) {
  return (
    <FormSection title={editingTexts.check}>
      {type !== 'HEARTBEAT' && <><AutoTextField path="target" placeholder={EXAMPLES[type]} isRequired /><VariablesHint /></>}
      {type === 'TCP' && <TcpFields />}
      {type === 'DNS' && <><RecordsField /><AutoTextField path="dns_config.dns_server" placeholder="9.9.9.9" /></>}
      {type === 'KEYWORD' && (
        <>
          <KeywordsField />
          <div class="fields">
            <AutoSelectField path="keyword_config.match_mode" texts={{ all: editingTexts.allKeywords, any: editingTexts.anyKeyword }} />
            <AutoCheckbox path="keyword_config.case_sensitive" />
          </div>
        </>
      )}
      <AutoTextField path="name" isRequired={type === 'HEARTBEAT'} />
      {type === 'HEARTBEAT'
        ? <HeartbeatFields />
        : <div class="fields"><AutoNumberField path="interval_seconds" /><AutoNumberField path="timeout_ms" /></div>}
      {type === 'ICMP' && (
        <MoreFields title={editingTexts.packets}>
          <div class="fields">
            <AutoNumberField path="icmp_config.packet_count" /><AutoNumberField path="icmp_config.packet_size" />
            <AutoNumberField path="icmp_config.timeout_ms" /><AutoNumberField path="icmp_config.ttl" />
          </div>
        </MoreFields>
      )}
      {type === 'HEARTBEAT' && (
        <MoreFields title={editingTexts.moreFields}>
          <div class="fields"><AutoNumberField path="max_runtime_seconds" /><AutoTextField path="slug" placeholder="nightly-backup" /></div>
        </MoreFields>
      )}
      {type === 'DNS' && <MoreFields title={editingTexts.moreFields}><AutoNumberField path="dns_config.resolution_timeout_ms" /></MoreFields>}
    </FormSection>
  );
}

function TcpFields() {
  const { value: protocol } = useFormField<string>('tcp_config.protocol');
  return (
    <>
      <div class="fields">
        <AutoNumberField path="tcp_config.port" />
        <AutoSelectField path="tcp_config.protocol" texts={{ generic: editingTexts.generic }} />
        <AutoSelectField path="tcp_config.tls" noneLabel={editingTexts.defaultTls} />
      </div>
      {protocol === 'generic'
        ? <div class="fields"><AutoTextArea path="tcp_config.send" /><AutoTextArea path="tcp_config.expect" /></div>
        : <AutoCheckbox path="tcp_config.protocol_validation" />}
    </>
  );
}

/** An HTTP check's request and the expected response. */
export function WebSections() {
  const { value: method } = useFormField<string>('method');
  const { value: threshold } = useFormField<number | null>('slow_response_threshold_ms');
  return (
    <>
      <FormSection title={editingTexts.response}>
        <div class="fields">
          <StatusField /><AutoNumberField path="slow_response_threshold_ms" />
          {threshold !== null && <AutoSelectField path="slow_response_action" texts={{ degraded: editingTexts.slowDegrades, down: editingTexts.slowFails }} />}
        </div>
        <AssertionsField />
      </FormSection>
      <FormSection title={editingTexts.request}>
        <AutoSelectField path="method" />
        <HeadersField />
        {method !== 'GET' && method !== 'HEAD' && <AutoTextArea path="body" />}
        <AuthField />
        <MoreFields title={editingTexts.moreFields}>
          <div class="fields"><AutoCheckbox path="follow_redirects" /><AutoNumberField path="max_redirects" /></div>
          <AutoCheckbox path="verify_ssl" />
          <div class="fields">
            <AutoSelectField path="ip_family" texts={{ any: editingTexts.anyFamily, ipv4: 'IPv4', ipv6: 'IPv6' }} />
            <AutoTextField path="connect_to" placeholder="192.0.2.1:8443" />
          </div>
        </MoreFields>
      </FormSection>
    </>
  );
}

/** Regions, confirmation policy, alerts, and tags and groups. */
export function CommonSections({ type }: { type: MonitorType }) {
  const isChecked = type !== 'HEARTBEAT';
  return (
    <>
      {isChecked && <FormSection title={editingTexts.where}><RegionsField /><PolicyField /><AutoCheckbox path="is_inverted" /></FormSection>}
      <FormSection title={editingTexts.alerts}>
        <DestinationsField />
        <DependenciesField />
        <div class="fields">
          <AutoSelectField path="alert_severity" noneLabel={editingTexts.severityByType} texts={{ critical: incidentTexts.critical, major: incidentTexts.major, warning: incidentTexts.warning }} />
          <AutoTextField path="runbook_url" placeholder="https://wiki.example.com/shop-is-down" />
        </div>
        {['HTTP', 'KEYWORD', 'TCP'].includes(type) && <Warnings setting="ssl_monitoring" />}
        {isChecked && <Warnings setting="domain_monitoring" />}
      </FormSection>
      <FormSection title={editingTexts.groupAndTags}><div class="fields"><GroupField /><AutoListField path="tags" /></div></FormSection>
    </>
  );
}

function Warnings({ setting }: { setting: 'ssl_monitoring' | 'domain_monitoring' }) {
  const { value: isOn } = useFormField<boolean>(`${setting}.enabled`);
  return (
    <div class="warnings">
      <AutoCheckbox path={`${setting}.enabled`} />
      {isOn && (
        <div class="fields">
          <AutoListField path={`${setting}.expiry_warning_days`} isNumbers />
          {setting === 'ssl_monitoring' && <><AutoCheckbox path="ssl_monitoring.check_expiry" /><AutoCheckbox path="ssl_monitoring.check_validity" /></>}
        </div>
      )}
    </div>
  );
}
