import { namedParts, type Realm } from '../../domain/realm.ts'
import type { SettledToken, TokenOutcome, WaitingToken } from '../../domain/service/notification-token.ts'
import { guarded } from '../../platform/background.ts'
import { COMMAND } from '../../platform/installation.ts'
import { createLineLimit } from '../../platform/line-limit.ts'
import type { Log } from '../../platform/log.ts'

/** The lines of resolving. `token` is the number of the job: the token itself is a secret of the account. */
export interface ResolvingLog {
  /** Logs what a job has come to. */
  settled(token: WaitingToken, outcome: TokenOutcome, settled: SettledToken): void
  heldBack(environment: Realm, error: string, waitMs: number): void
  resumed(environment: Realm): void
  budgetUsedUp(environment: Realm, limit: number | null): void
  senderUsedUp(environment: Realm, sender: string | null, limit: number | null): void
  delayed(environment: Realm, error: string): void
}

const SEE = `${COMMAND} service status`
const GIVEN_UP_HINT = `the service has not known this token for 30 days; its callback is kept as an event: ${COMMAND} events list`
const BUDGET_HINT =
  'the rest is asked for after midnight UTC; raise service.dailyBudgets.notifications if the service allows more'
const SENDER_HINT =
  'the rest of its tokens is asked for bit by bit; if this is not the service, change the token of its address and set chargeNotifications.allowedAddresses; else raise service.dailyBudgets.notifications'

/** Above 100 resolved tokens a second, one line counts many. */
export function createResolvingLog(log: Log, now: () => number): ResolvingLog {
  const mayHaveLine = createLineLimit(now)
  const heldFor = new Map<Realm, string>()
  const usedUpOn = new Map<string, string>()
  let uncounted = { tokens: 0, events: 0 }

  const logRest = guarded(log, 'logging resolved tokens', () => {
    log.info(uncounted, 'tokens.resolved')
    uncounted = { tokens: 0, events: 0 }
  })

  function logResolved({ id, environment, waitingSince }: WaitingToken, { eventIds }: SettledToken): void {
    if (mayHaveLine()) {
      log.info(
        { ...namedParts(environment), token: id, events: eventIds, waitedMs: now() - waitingSince },
        'token.resolved',
      )
      return
    }
    if (uncounted.tokens === 0) setImmediate(logRest)
    uncounted.tokens++
    uncounted.events += eventIds.length
  }

  /** Whether this was not said on this UTC day. */
  function isNewToday(what: string): boolean {
    const day = new Date(now()).toISOString().slice(0, 10)
    if (usedUpOn.get(what) === day) return false
    usedUpOn.set(what, day)
    return true
  }

  return {
    settled(token, { error, isUnresolved }, settled) {
      const { id, environment } = token
      if (error === null) {
        if (settled.eventIds.length > 0) logResolved(token, settled)
        return
      }
      if (isUnresolved && !token.isUnresolved)
        log.warn(
          { ...namedParts(environment), token: id, events: settled.eventIds, error, see: SEE },
          'token.unresolved',
        )
      if (settled.nextAttemptAt === null)
        log.error({ ...namedParts(environment), token: id, error, hint: GIVEN_UP_HINT }, 'token.given_up')
    },
    heldBack(environment, error, waitMs) {
      if (heldFor.get(environment) === error) return
      heldFor.set(environment, error)
      log.warn({ ...namedParts(environment), error, waitMs, see: SEE }, 'tokens.held_back')
    },
    resumed(environment) {
      if (heldFor.delete(environment)) log.info({ ...namedParts(environment) }, 'tokens.resumed')
    },
    budgetUsedUp(environment, limit) {
      if (isNewToday(`budget ${environment}`))
        log.warn({ ...namedParts(environment), limit, hint: BUDGET_HINT }, 'tokens.budget_used_up')
    },
    senderUsedUp(environment, remoteAddress, limit) {
      if (isNewToday(`sender ${environment}`))
        log.warn({ ...namedParts(environment), remoteAddress, limit, hint: SENDER_HINT }, 'tokens.sender_used_up')
    },
    delayed: (environment, error) =>
      void (mayHaveLine() && log.warn({ ...namedParts(environment), error }, 'tokens.delayed')),
  }
}
