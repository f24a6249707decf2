import type { Realm } from '../../domain/realm.ts'
import type { Outage } from '../../domain/reconcile/outages.ts'
import { serviceDay } from '../../domain/reconcile/service-day.ts'
import { isOver, type Pass } from './pass.ts'
import { type Passes, usualDays } from './passes.ts'
import { startProgress } from './progress.ts'
import type { ReconcileSettings, SettingsOf } from './settings.ts'

export interface ScheduleParts {
  readonly realms: readonly Realm[]
  readonly settingsOf: SettingsOf
  /** Outages whose window was not asked for yet, and how one is done. */
  readonly outages: {
    toReconcile(): readonly Outage[]
    reconciled(id: number): Promise<void>
  }
  readonly now: () => number
}

/** Passes by the clock, and after outages. */
export interface Schedule {
  /** Makes the passes that are due. @param mayGoOn false: what is left is done the next time */
  run(mayGoOn: () => boolean): Promise<void>
  /** How long nothing is due, in ms. */
  restMs(): number
}

/** After a pass that the service did not answer. */
const AGAIN_MS = 15_000

export function createSchedule({ realms, settingsOf, outages, now }: ScheduleParts, passes: Passes): Schedule {
  /** When the next pass of an environment is due, in monotonic ms. Only `lookForOutages` and `passThrough` change it. */
  const dueAt = new Map<Realm, number>()
  /** Outages that are over and were not asked for, and the environments that are still to be asked. Only `run` and what it calls change them. */
  const windows = new Map<number, Outage>()
  const behind = new Set<Realm>()

  /** An outage that is over makes every environment due. */
  function lookForOutages(): void {
    for (const outage of outages.toReconcile()) {
      if (windows.has(outage.id)) continue
      windows.set(outage.id, outage)
      for (const environment of realms) behind.add(environment)
      dueAt.clear()
    }
  }

  /** Asks for everything behind an outage, for what is due otherwise. */
  async function passThrough(environment: Realm, settings: ReconcileSettings): Promise<void> {
    const isBehind = behind.has(environment)
    const pass = passes.make(environment, settings, {
      since: null,
      days: isBehind ? daysOfOutages([...windows.values()], now()) : usualDays(now()),
      dueBy: isBehind ? null : now() + settings.everyMs / 2,
      isDryRun: false,
      progress: startProgress(environment),
    })
    await passes.run(pass)
    const isDone = !isOver(pass)
    if (isDone) behind.delete(environment)
    dueAt.set(
      environment,
      performance.now() + (isDone ? settings.everyMs : Math.max(AGAIN_MS, passes.waitMs(environment))),
    )
  }

  return {
    async run(mayGoOn) {
      // Without a section `service` an outage stays one that was not asked for.
      if (realms.every((environment) => settingsOf(environment) === null)) return
      lookForOutages()
      for (const environment of realms) {
        const settings = settingsOf(environment)
        if (settings === null) behind.delete(environment)
        else if (mayGoOn() && (dueAt.get(environment) ?? 0) <= performance.now())
          await passThrough(environment, settings)
      }
      if (behind.size > 0 || !mayGoOn()) return
      for (const id of windows.keys()) await outages.reconciled(id)
      windows.clear()
    },
    restMs() {
      const due = realms
        .filter((environment) => settingsOf(environment) !== null)
        .map((environment) => dueAt.get(environment) ?? 0)
      return Math.min(...due) - performance.now()
    },
  }
}

function daysOfOutages(outages: readonly Outage[], now: number): Pass['days'] {
  const first = Math.min(...outages.map(({ beganAt }) => beganAt))
  const last = Math.max(...outages.map(({ endedAt }) => endedAt ?? now))
  return { first: serviceDay(first), last: serviceDay(last) }
}
