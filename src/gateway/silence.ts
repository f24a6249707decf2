import type { Config } from '../config/config.ts'
import type { Environment } from '../domain/event.ts'
import { type SilenceWatch, type SilenceWatchOptions, startSilenceWatch } from '../jobs/silence-watch.ts'

/** Over the kinds that name a silence. */
export function watchSilence(
  config: Config,
  parts: Omit<SilenceWatchOptions, 'rules' | 'environment'>,
): Promise<SilenceWatch> {
  const rules = config.callbacks.kinds.flatMap(({ name: kind, silenceMs }) =>
    silenceMs === null ? [] : [{ kind, silenceMs }],
  )
  return startSilenceWatch({ ...parts, rules, environment: watchedEnvironment(config) })
}

/** Sandbox counts only where nobody calls from production. */
function watchedEnvironment({ callbacks, chargeNotifications }: Config): Environment {
  const installed = [...callbacks.trust, ...(chargeNotifications?.tokens ?? [])]
  return installed.some(({ environment }) => environment === 'production') ? 'production' : 'sandbox'
}
