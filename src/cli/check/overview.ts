import type { Config } from '../../config/config.ts'
import { WITHOUT_FILE } from '../../domain/expiry.ts'
import type { Reason, ReasonCode } from '../../domain/overview/reasons.ts'
import { askGateway } from '../control-client.ts'
import { type Area, type Finding, type Level, reportOn } from './finding.ts'

/** Under which heading the findings of a reason stand. */
const AREAS: Readonly<Record<ReasonCode, Area>> = {
  not_ready: 'listeners',
  callbacks_failing: 'listeners',
  callbacks_refused: 'listeners',
  outage_lost: 'service',
  outage: 'service',
  kind_silent: 'listeners',
  kind_never: 'listeners',
  acknowledge_slow: 'listeners',
  clock_implausible: 'clock',
  writer_silent: 'storage',
  store_unreadable: 'storage',
  nodes_unheard: 'nodes',
  space_out: 'storage',
  space_short: 'storage',
  certificate_expired: 'certificates',
  certificate_expiring: 'certificates',
  certificate_unreadable: 'certificates',
  trust_closed: 'trust',
  files_not_renewed: 'certificates',
  configuration_not_reloaded: 'configuration',
  configuration_needs_restart: 'configuration',
  backlog_old: 'destinations',
  circuit_open: 'destinations',
  destination_paused: 'destinations',
  subjects_held: 'destinations',
  consumer_behind: 'destinations',
  quarantine_waiting: 'storage',
  service_failing: 'service',
  tokens_waiting: 'service',
  tokens_many: 'service',
  search_behind: 'storage',
  alarm_failing: 'alarms',
}

const SEVERITY: Readonly<Record<Level, number>> = { good: 0, warning: 1, problem: 2 }

/** What the overview of the running gateway says, each reason with its own code. */
export async function checkOverview(config: Config): Promise<readonly Reason[]> {
  // The listener findings say why it does not answer.
  const overview = await askGateway<{ readonly reasons: readonly Reason[] }>(config, 'GET', '/v1/overview').catch(
    () => null,
  )
  return overview?.reasons ?? []
}

/** The findings, and those reasons of the overview that are not among them. The check looks at some facts itself, because it looks without a gateway too. */
export function withReasons(findings: readonly Finding[], reasons: readonly Reason[]): Finding[] {
  const isSaid = (reason: Reason) =>
    findings.some(
      (one) =>
        (one.code === reason.code || isSameExpiry(one, reason)) && SEVERITY[one.level] >= SEVERITY[reason.severity],
    )
  return [...findings, ...reasons.filter((reason) => !isSaid(reason)).map(findingOf)]
}

/** The check reads the same files itself, and names the certificate. What no file has any more, the gateway alone knows. */
function isSameExpiry({ code, area }: Finding, { code: reason, subject }: Reason): boolean {
  const [set = '', where = ''] = subject?.split(': ') ?? []
  return (
    /^certificate_expir/.test(reason) &&
    EXPIRY.includes(code) &&
    AREAS_OF_SETS[set] === area &&
    !where.endsWith(WITHOUT_FILE)
  )
}

const EXPIRY: readonly Finding['code'][] = [
  'certificate.expired',
  'certificate.expiring',
  'certificate.not_renewed',
  'certificate.urgent',
]
const AREAS_OF_SETS: Readonly<Record<string, Area>> = {
  server: 'certificates',
  client: 'certificates',
  'service-chain': 'trust',
}

function findingOf({ code, severity, subject, text, nextStep, others }: Reason): Finding {
  const found = others === 0 ? text : `${text}; more with the same reason: ${others}`
  return reportOn(AREAS[code])[severity](code, subject ?? 'running gateway', found, nextStep)
}
