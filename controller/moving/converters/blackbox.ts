import type { Conversion } from '../conversion.ts';
import { FileRefused, type Converter, type Source } from '../converter.ts';
import { fieldsOf, listOf, rowsOf, textOf, textsOf, type Fields } from '../loose.ts';
import { moduleSettings } from './blackbox-module.ts';
import { durationMs, durationSeconds } from './duration.ts';

const DEFAULT_INTERVAL_S = 60;
const DEFAULT_TIMEOUT_MS = 10_000;
const DEFAULT_MODULE = 'http_2xx';
/** Labels that relabeling usually sets so that Prometheus asks the exporter. */
const USUAL_LABELS = ['__param_target', 'instance', '__address__'];

/** Prometheus with the Blackbox exporter: the configurations of both, as two YAML documents. */
export const blackbox: Converter = {
  title: 'configurations of Prometheus and its Blackbox exporter',
  recognizes: (source) => modulesOf(source) !== null || jobsOf(source) !== null,
  convert: (source, into) => {
    const modules = modulesOf(source);
    const jobs = jobsOf(source);
    if (modules === null) throw new FileRefused('The modules of the Blackbox exporter are missing: append blackbox.yml after a line with ---');
    if (jobs === null) throw new FileRefused('The scrape_configs of Prometheus are missing: append prometheus.yml after a line with ---');
    for (const job of jobs) addJob(job, modules, into);
  },
};

function documentsOf(source: Source): Fields[] {
  return source.kind === 'yaml' ? source.documents.map(fieldsOf) : [];
}

function modulesOf(source: Source): Fields | null {
  const found = documentsOf(source).map(({ modules }) => fieldsOf(modules))
    .filter((modules) => Object.values(modules).some((module) => 'prober' in fieldsOf(module)));
  return found.length === 0 ? null : Object.assign({}, ...found) as Fields;
}

/** The jobs that ask an exporter for a probe, with the defaults of their document. */
function jobsOf(source: Source): Fields[] | null {
  const documents = documentsOf(source).filter((document) => Array.isArray(document['scrape_configs']));
  if (documents.length === 0) return null;
  return documents.flatMap(({ global, scrape_configs: jobs }) => {
    const { scrape_interval, scrape_timeout } = fieldsOf(global);
    return rowsOf(jobs).filter((job) => textOf(job['metrics_path']) === '/probe')
      .map((job) => ({ scrape_interval, scrape_timeout, ...job }));
  });
}

function addJob(job: Fields, modules: Fields, into: Conversion): void {
  const jobName = textOf(job['job_name']);
  const moduleName = textOf(listOf(fieldsOf(job['params'])['module'])[0]) || DEFAULT_MODULE;
  const module = fieldsOf(modules[moduleName]);
  const discoveries = Object.keys(job).filter((name) => name.endsWith('_sd_configs'));
  if (discoveries.length > 0) {
    into.skip(jobName, `Its targets come from ${discoveries.join(', ')}, and are not in the file.`);
  }
  const rules = rowsOf(job['relabel_configs']).filter((rule) => !isUsual(rule));
  const interval = durationSeconds(job['scrape_interval']) ?? DEFAULT_INTERVAL_S;
  const timeout = durationMs(module['timeout']) ?? durationMs(job['scrape_timeout']) ?? DEFAULT_TIMEOUT_MS;
  for (const config of rowsOf(job['static_configs'])) {
    const tags = Object.entries(textsOf(config['labels'])).map(([label, value]) => `${label}:${value}`);
    for (const target of listOf(config['targets']).map(textOf)) {
      const notes = rules.length > 0 ? ['Relabeling is not followed.'] : [];
      const settings = moduleSettings(module, target, notes);
      if (settings === null) {
        into.skip(target, `Farwatch has no check like the module ${moduleName}${textOf(module['prober']) === '' ? ', which the file lacks' : ''}.`);
        continue;
      }
      into.addMonitor({
        name: target, interval_seconds: interval, timeout_ms: timeout, ...(tags.length > 0 ? { tags } : {}),
        group: into.shareGroup(jobName), ...settings,
      }, notes);
    }
  }
}

function isUsual(rule: Fields): boolean {
  return USUAL_LABELS.includes(textOf(rule['target_label'])) && !('regex' in rule) && !('action' in rule);
}
