import { outageRulesOf } from '../../config/config.ts'
import {
  downSince,
  type GatewayRun,
  type JudgedOutage,
  mayBeLost,
  OUTAGES_KEPT_MS,
  type Outage,
  type OutageRules,
  type OutageWindow,
  openOutages,
  RUNS_LOOKED_AT,
} from '../../domain/reconcile/outages.ts'
import { COMMAND } from '../../platform/installation.ts'
import { iso } from '../../platform/time.ts'
import { readIfPossible } from '../reader.ts'
import type { CheckContext } from './context.ts'
import { type Finding, reportOn } from './finding.ts'

const { warning, problem } = reportOn('service')

/** Times in which callbacks may not have been accepted; the one that goes on while no gateway runs, too. */
export async function checkOutages({ config, now }: Pick<CheckContext, 'config' | 'now'>): Promise<Finding[]> {
  const time = now.getTime()
  const known = await readIfPossible(config, null, async (reader) => ({
    runs: await reader.listRuns(RUNS_LOOKED_AT),
    outages: await reader.listOutages(time - OUTAGES_KEPT_MS),
  }))
  return known === null ? [] : outageFindings(known, outageRulesOf(config), time)
}

export function outageFindings(
  { runs, outages }: { readonly runs: readonly GatewayRun[]; readonly outages: readonly Outage[] },
  rules: OutageRules,
  now: number,
): Finding[] {
  const since = downSince(runs, now)
  const all = since === null ? outages : [{ ...NOW, beganAt: since }, ...outages]
  return openOutages(all, rules, now).map((outage) => findingOf(outage, rules))
}

const NOW = { id: 0, endedAt: null, cause: 'down', raisedAt: null, reconciledAt: null } as const

function findingOf(outage: JudgedOutage, rules: OutageRules): Finding {
  const { cause, beganAt, endedAt, windows } = outage
  const words = cause === 'down' ? 'no gateway ran' : 'callbacks were answered 503'
  const times = endedAt === null ? `since ${iso(beganAt)}` : `from ${iso(beganAt)} to ${iso(endedAt)}`
  const found = [`${words} ${times}`, ...windows.map((window) => windowText(window, endedAt, windows.length > 1))]
  const subject = `outage since ${iso(beganAt)}`
  const nextStep = nextStepOf(outage, rules)
  return mayBeLost(outage)
    ? problem('outage_lost', subject, found.join('; '), nextStep)
    : warning('outage', subject, found.join('; '), nextStep)
}

function windowText(
  { retries, lost, closesAt, retriesUntil }: OutageWindow,
  endedAt: number | null,
  isOneOfTwo: boolean,
): string {
  const schedule = isOneOfTwo ? `with retries: ${retries}, ` : ''
  const again = `the service sends again until ${iso(retriesUntil)}`
  if (lost !== null)
    return `${schedule}callbacks first sent from ${iso(lost.from)} to ${iso(lost.through)} may be lost; of the others ${again}`
  return endedAt === null
    ? `${schedule}nothing is lost before ${iso(closesAt)}`
    : `${schedule}nothing is lost yet: ${again}`
}

function nextStepOf({ cause, endedAt, reconciledAt }: JudgedOutage, { isReconciled }: OutageRules): string {
  if (endedAt === null)
    return cause === 'down'
      ? 'start the gateway'
      : 'the log says why (callback.not_stored): free some space, or repair the disk'
  if (reconciledAt !== null) return 'nothing: the service was asked, and this ends by itself'
  if (isReconciled) return `ask the service for what changed meanwhile: "${COMMAND} service reconcile"`
  return 'look at the service for what changed meanwhile, or configure the section service to have it asked'
}
