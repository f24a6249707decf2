import { iso } from '../../platform/time.ts'
import { failureDetail } from '../alarms/failure.ts'
import { daysLeft, type InventoryEntry, judgeExpiry } from '../expiry.ts'
import type { KindActivity } from '../inactivity.ts'
import type { Unheard } from '../nodes/foreign-changes.ts'
import { institutionOf, kindKey, type Realm } from '../realm.ts'
import { type JudgedOutage, mayBeLost } from '../reconcile/outages.ts'
import type { SearchState } from '../search/search-index.ts'
import type { ServiceInterfaceStatus } from '../service/service-status.ts'
import { TAKES_NOTHING_S } from './destination-judgement.ts'
import { destinationsOf, type Light, type Overview, type OverviewDestination, type OverviewFacts } from './overview.ts'
import { filledIn, MANY_TOKENS, REASON_TEXTS, type Reason, type ReasonCode, type ReasonSeverity } from './reasons.ts'

/** As in the alerts of docs/monitoring. */
const VERY_OLD_S = 86_400
const CONSUMER_BEHIND_S = 3600
const TOKEN_OLD_S = 3600
const WRITER_SILENT_MS = 20_000
/** A restart of PostgreSQL, or a failover, takes less. */
const UNHEARD_MS = 10_000
const SLOW_MS = 1000
const SEARCH_BEHIND_S = 60

/** Reasons of one code that name their subject; the others are counted. */
const LISTED = 5

type Values = Partial<Pick<Reason, 'subject' | 'about' | 'value' | 'detail' | 'until'>>

interface Found extends Values {
  readonly severity: ReasonSeverity
  readonly code: ReasonCode
}

/** The overview of these facts. Any problem makes the light red, any warning yellow. */
export function overviewOf(facts: OverviewFacts): Overview {
  const destinations = destinationsOf(facts)
  const found = foundIn(facts, destinations)
  const reasons = [...withSeverity(found, 'problem'), ...withSeverity(found, 'warning')]
  return { facts, light: lightOf(reasons), reasons, destinations }
}

/** Every reason, those too that an overview only counts. */
export function everyReasonOf(facts: OverviewFacts): Reason[] {
  return foundIn(facts, destinationsOf(facts)).map((one) => reasonOf(one, 0))
}

/** Subjects of `service_failing` that cannot be judged: no call was made since the start. */
export function unjudgedInterfaces({ service }: Pick<OverviewFacts, 'service'>): string[] {
  return service.flatMap(({ environment, interfaces }) =>
    interfaces.flatMap((one) =>
      one.lastSuccessAt === null && one.lastFailure === null ? [subjectOf(one, environment)] : [],
    ),
  )
}

function subjectOf({ interface: name }: ServiceInterfaceStatus, environment: Realm): string {
  return `${name} (${environment})`
}

function foundIn(facts: OverviewFacts, destinations: readonly OverviewDestination[]): Found[] {
  return [...ofReceiving(facts), ...ofStorage(facts), ...ofForwarding(facts, destinations), ...ofOthers(facts)]
}

function lightOf([worst]: readonly Reason[]): Light {
  if (worst === undefined) return 'green'
  return worst.severity === 'problem' ? 'red' : 'yellow'
}

function ofReceiving({ checks, traffic, refused, outages, kinds, now }: OverviewFacts): Found[] {
  const { acknowledge, failed, repeatedUntil } = traffic
  return [
    // A full disk has reasons of its own.
    ...checks.flatMap(({ name, problem }) =>
      problem === null || name === 'disk'
        ? []
        : [found('problem', 'not_ready', { subject: name, detail: `${name}: ${problem}` })],
    ),
    ...when(failed > 0, 'problem', 'callbacks_failing', { value: failed, until: repeatedUntil }),
    ...refused.map(({ environment, path, code, status, count, repeatedUntil: until }) =>
      found('problem', 'callbacks_refused', {
        subject: path ?? code,
        value: count,
        detail: `${status}, ${environment}`,
        until,
      }),
    ),
    ...outages.map(ofOutage),
    ...kinds.filter(({ isInactive }) => isInactive).map((one) => ofSilence(one, now)),
    ...when((acknowledge?.p99Ms ?? 0) > SLOW_MS, 'warning', 'acknowledge_slow', {
      value: (acknowledge?.p99Ms ?? 0) / 1000,
    }),
  ]
}

function ofOutage(outage: JudgedOutage): Found {
  const { beganAt, endedAt, windows } = outage
  const lost = mayBeLost(outage) ? windows.find((one) => one.lost !== null)?.lost : undefined
  if (lost != null) return found('problem', 'outage_lost', { detail: spanOf(lost.from, lost.through) })
  const until = minuteOf(Math.max(...windows.map(({ retriesUntil }) => retriesUntil)))
  return found('warning', 'outage', { detail: spanOf(beganAt, endedAt), until })
}

function spanOf(from: number, through: number | null): string {
  return `${minuteOf(from)} – ${through === null ? '' : minuteOf(through)}`.trim()
}

function minuteOf(time: number): string {
  return `${iso(time).slice(0, 16)}Z`
}

function ofSilence({ kind, environment, lastReceivedAt }: KindActivity, now: number): Found {
  const subject = kindKey(institutionOf(environment), kind)
  return lastReceivedAt === null
    ? found('problem', 'kind_never', { subject })
    : found('problem', 'kind_silent', { subject, value: secondsSince(lastReceivedAt, now) })
}

function ofStorage({ clock, pulse, disk, stored, unheard, now }: OverviewFacts): Found[] {
  const isShort = disk.level === 'no_refusals' || disk.level === 'no_answers'
  return [
    ...when(!clock.isPlausible, 'problem', 'clock_implausible', { detail: clock.problem ?? '' }),
    ...when(pulse.silentMs > WRITER_SILENT_MS, 'problem', 'writer_silent', {
      value: Math.round(pulse.silentMs / 1000),
    }),
    ...when(stored === null, 'warning', 'store_unreadable', {}),
    ...(unheard === null || now - unheard.since < UNHEARD_MS ? [] : [ofUnheard(unheard, now)]),
    ...when(disk.level === 'no_callbacks', 'problem', 'space_out', {}),
    ...when(isShort, 'warning', 'space_short', {}),
  ]
}

function ofUnheard({ since, reason }: Unheard, now: number): Found {
  return found('warning', 'nodes_unheard', { value: secondsSince(since, now), detail: reason })
}

function ofForwarding({ stored, now }: OverviewFacts, destinations: readonly OverviewDestination[]): Found[] {
  const old = destinations.filter(
    ({ oldestSeconds, state }) => (oldestSeconds ?? 0) > (state === 'paused' ? VERY_OLD_S : TAKES_NOTHING_S),
  )
  return [
    ...old.map(({ id, name, oldestSeconds, failing }) => {
      const value = oldestSeconds ?? 0
      return found(value > VERY_OLD_S ? 'problem' : (failing ?? 'warning'), 'backlog_old', {
        subject: name,
        about: id,
        value,
      })
    }),
    ...destinations.flatMap(({ id, name, circuit, failing }) =>
      when(circuit === 'open', failing ?? 'warning', 'circuit_open', { subject: name, about: id }),
    ),
    ...destinations.flatMap(({ id, name, state }) =>
      when(state === 'paused', 'warning', 'destination_paused', { subject: name, about: id }),
    ),
    ...(stored?.backlogs ?? []).flatMap(({ destination, owner, heldSubjects }) => {
      const about = destinations.find((one) => one.name === destination && one.owner === owner)?.id ?? null
      return when(heldSubjects > 0, 'warning', 'subjects_held', { subject: destination, about, value: heldSubjects })
    }),
    ...(stored?.lags ?? []).flatMap(({ name, owner, oldestAt }) => {
      const value = oldestAt === null ? 0 : secondsSince(oldestAt, now)
      const about = `${owner ?? 'operator'}/${name}`
      return when(value > CONSUMER_BEHIND_S, 'warning', 'consumer_behind', { subject: name, about, value })
    }),
    ...when((stored?.quarantined ?? 0) > 0, 'warning', 'quarantine_waiting', { value: stored?.quarantined ?? 0 }),
  ]
}

function ofOthers({
  certificates,
  unusedFiles,
  configuration,
  service,
  search,
  failingChannels,
  now,
}: OverviewFacts): Found[] {
  return [
    ...certificates.flatMap((one) => ofCertificate(one, now)),
    ...unusedFiles.map(({ what: subject, problem: detail, use }) =>
      use === 'none'
        ? found('problem', 'trust_closed', { subject, detail })
        : found('warning', 'files_not_renewed', { subject, detail }),
    ),
    ...when(configuration.problem !== null, 'warning', 'configuration_not_reloaded', {
      detail: configuration.problem ?? '',
    }),
    ...when(configuration.needRestart.length > 0, 'warning', 'configuration_needs_restart', {
      detail: configuration.needRestart.join(', '),
    }),
    ...service.flatMap(({ environment, interfaces }) =>
      interfaces.flatMap((one) =>
        when(one.isFailing, 'warning', 'service_failing', { subject: subjectOf(one, environment) }),
      ),
    ),
    ...service.flatMap(({ environment, waitingTokens: { oldestAt } }) => {
      const value = oldestAt === null ? 0 : secondsSince(oldestAt, now)
      return when(value > TOKEN_OLD_S, 'warning', 'tokens_waiting', { subject: environment, value })
    }),
    ...service.flatMap(({ environment, waitingTokens: { count } }) =>
      when(count > MANY_TOKENS, 'warning', 'tokens_many', { subject: environment, value: count }),
    ),
    ...when(search !== null && isSearchBehind(search), 'warning', 'search_behind', { value: search?.lagSeconds ?? 0 }),
    ...failingChannels.map(({ name: subject, error }) =>
      found('warning', 'alarm_failing', { subject, detail: failureDetail(error) }),
    ),
  ]
}

/** One that is being made again is behind on purpose. */
export function isSearchBehind({
  lagSeconds,
  isRebuilding,
}: Pick<SearchState, 'lagSeconds' | 'isRebuilding'>): boolean {
  return !isRebuilding && lagSeconds > SEARCH_BEHIND_S
}

function ofCertificate(one: InventoryEntry, now: number): Found[] {
  const subject = `${one.set}: ${one.where}`
  if ('problem' in one) return [found('warning', 'certificate_unreadable', { subject })]
  const judgement = one.isReplaced ? 'valid' : judgeExpiry(one, now)
  if (judgement === 'valid') return []
  if (judgement === 'expired') return [found('problem', 'certificate_expired', { subject })]
  return [found(judgement, 'certificate_expiring', { subject, value: daysLeft(one.notAfter, now) })]
}

function found(severity: ReasonSeverity, code: ReasonCode, values: Values): Found {
  return { severity, code, ...values }
}

function when(isSo: boolean, ...reason: Parameters<typeof found>): Found[] {
  return isSo ? [found(...reason)] : []
}

function secondsSince(time: number, now: number): number {
  return Math.max(0, Math.round((now - time) / 1000))
}

/** In the order of their codes, the first subjects of each. */
function withSeverity(all: readonly Found[], severity: ReasonSeverity): Reason[] {
  const byCode = Map.groupBy(
    all.filter((one) => one.severity === severity),
    ({ code }) => code,
  )
  return [...byCode.values()].flatMap((same) =>
    same.slice(0, LISTED).map((one, index) => reasonOf(one, index === LISTED - 1 ? same.length - LISTED : 0)),
  )
}

function reasonOf(
  { severity, code, subject = null, about = null, value = null, detail = null, until = null }: Found,
  others: number,
): Reason {
  const { text, nextStep } = REASON_TEXTS[code]
  const values = { subject, value, detail, until }
  return { severity, code, about, ...values, text: filledIn(text, values), nextStep, others }
}
