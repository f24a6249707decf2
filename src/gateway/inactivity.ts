import type { Config } from '../config/config.ts'
import type { Realm } from '../domain/realm.ts'
import { environmentOf } from '../domain/realm.ts'
import { type InactivityAlarm, type InactivityAlarmOptions, startInactivityAlarm } from '../jobs/inactivity-alarm.ts'

/** For the kinds with `alertAfter`. */
export function watchInactivity(
  config: Config,
  parts: Omit<InactivityAlarmOptions, 'rules' | 'environment'>,
): Promise<InactivityAlarm> {
  const rules = config.callbacks.kinds.flatMap(({ name: kind, alertAfterMs }) =>
    alertAfterMs === null ? [] : [{ kind, alertAfterMs }],
  )
  return startInactivityAlarm({ ...parts, rules, environment: watchedEnvironment(config) })
}

/** Callbacks from sandbox count only where no caller from production is configured. */
function watchedEnvironment({ callbacks, chargeNotifications }: Config): Realm {
  const { tokens = [], pathTokens = [] } = chargeNotifications ?? {}
  const installed = [...callbacks.trust, ...tokens, ...pathTokens]
  return installed.some(({ environment }) => environmentOf(environment) === 'production') ? 'production' : 'sandbox'
}
