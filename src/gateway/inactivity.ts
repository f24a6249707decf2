import type { Config } from '../config/config.ts'
import type { Environment } from '../domain/event.ts'
import { type InactivityAlarm, type InactivityAlarmOptions, startInactivityAlarm } from '../jobs/inactivity-alarm.ts'

/** Over the kinds that name a silence. */
export function watchInactivity(
  config: Config,
  parts: Omit<InactivityAlarmOptions, 'rules' | 'environment'>,
): Promise<InactivityAlarm> {
  const rules = config.callbacks.kinds.flatMap(({ name: kind, alertAfterMs }) =>
    alertAfterMs === null ? [] : [{ kind, alertAfterMs }],
  )
  return startInactivityAlarm({ ...parts, rules, environment: watchedEnvironment(config) })
}

/** Sandbox counts only where nobody calls from production. */
function watchedEnvironment({ callbacks, chargeNotifications }: Config): Environment {
  const installed = [...callbacks.trust, ...(chargeNotifications?.tokens ?? [])]
  return installed.some(({ environment }) => environment === 'production') ? 'production' : 'sandbox'
}
