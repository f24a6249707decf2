import type { Realm } from '../../domain/realm.ts'
import { namedParts } from '../../domain/realm.ts'
import { dayBehind, serviceDay } from '../../domain/reconcile/service-day.ts'
import type { Store } from '../../domain/store.ts'
import type { Log } from '../../platform/log.ts'
import { askForSubjects, isOver, type Pass, type PassParts } from './pass.ts'
import { comparePayments } from './payment-summary.ts'
import { createQuestionPermits, type QuestionPermits } from './permits.ts'
import type { ReconcileSettings } from './settings.ts'
import { compareStatements } from './statement.ts'

export type PassRange = Pick<Pass, 'since' | 'days' | 'isDryRun' | 'dueBy' | 'progress'>

export interface PassesOptions extends PassParts {
  readonly store: PassParts['store'] & Pick<Store, 'takeBudget'>
  readonly realms: readonly Realm[]
  readonly log: Log
}

/** Makes passes through environments, one at a time. */
export interface Passes {
  /** How long no question to the service of the environment may begin, in ms. */
  waitMs(environment: Realm): number
  /** Returns the pass, for how it ended. */
  make(environment: Realm, settings: ReconcileSettings, range: PassRange): Pass
  run(pass: Pass): Promise<void>
}

export function createPasses(options: PassesOptions, signal: AbortSignal): Passes {
  const { realms, store, now, log } = options
  const permits = new Map(realms.map((realm) => [realm, createQuestionPermits(realm, store, now)]))
  /** The last day whose statement was compared. Only `run` changes it. */
  const compared = new Map<Realm, string | null>()

  /** Why a question of the last pass failed; null: none did. Only `logPass` changes it. */
  const problems = new Map<Realm, string | null>()

  function permitsOf(environment: Realm): QuestionPermits {
    return permits.get(environment) as QuestionPermits
  }

  /** A problem that goes on is logged once. */
  function logPass({ environment, progress, isDryRun }: Pass): void {
    const { asked, found, unknown, undecided, unnamed, failed, left, problem } = progress
    const isNews = problem !== (problems.get(environment) ?? null)
    problems.set(environment, problem)
    if (problem === null ? asked === 0 && left === 0 : !isNews) return
    const counts = { asked, found, unknown, undecided, unnamed, failed, left }
    const facts = { ...namedParts(environment), ...counts, ...(isDryRun && { dryRun: true }) }
    if (problem === null) log.info(facts, 'reconcile.done')
    else log.warn({ ...facts, error: problem }, 'reconcile.done')
  }

  return {
    waitMs: (environment) => permitsOf(environment).circuit.waitMs(),
    make: (environment, settings, range) => ({
      ...options,
      ...range,
      environment,
      settings,
      permits: permitsOf(environment),
      stopped: new Set(),
      signal,
    }),
    async run(pass) {
      const { environment, settings, isDryRun } = pass
      const { openings, payments, charges, statement, readCredentials } = settings
      if (payments !== null) await askForSubjects(pass, payments)
      if (payments !== null && !isOver(pass)) await comparePayments(pass, payments)
      if (openings !== null && readCredentials) await askForSubjects(pass, openings)
      if (charges !== null) await askForSubjects(pass, charges)
      if (statement !== null && !isOver(pass)) {
        const last = await compareStatements(pass, statement, compared.get(environment) ?? null)
        if (!isDryRun) compared.set(environment, last)
      }
      logPass(pass)
    },
  }
}

/** Days whose payments each pass compares. */
const USUAL_DAYS = 31

export function usualDays(now: number): Pass['days'] {
  const last = serviceDay(now)
  return { first: dayBehind(last, 1 - USUAL_DAYS), last }
}
