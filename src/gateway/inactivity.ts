import type { Config } from '../config/config.ts'
import { environmentOf, institutionOf, type Realm, realmOf } from '../domain/realm.ts'
import { type InactivityAlarm, type InactivityAlarmOptions, startInactivityAlarm } from '../jobs/inactivity-alarm.ts'

/** For the kinds with `alertAfter`. */
export function watchInactivity(
  config: Config,
  parts: Omit<InactivityAlarmOptions, 'rules'>,
): Promise<InactivityAlarm> {
  const rules = config.callbacks.kinds.flatMap(({ institution, name: kind, alertAfterMs }) =>
    alertAfterMs === null ? [] : [{ kind, alertAfterMs, environment: watchedRealm(config, institution) }],
  )
  return startInactivityAlarm({ ...parts, rules })
}

/** Callbacks from sandbox count only where no caller from production of the institution is configured. */
function watchedRealm({ callbacks, chargeNotifications }: Config, institution: string | null): Realm {
  const { tokens = [], pathTokens = [] } = chargeNotifications ?? {}
  const own = [...callbacks.trust, ...tokens, ...pathTokens].filter(
    ({ environment }) => institutionOf(environment) === institution,
  )
  const hasProduction = own.some(({ environment }) => environmentOf(environment) === 'production')
  return realmOf(institution, hasProduction ? 'production' : 'sandbox')
}
