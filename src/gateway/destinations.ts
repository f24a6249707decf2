import type { Renewal } from '../certificates/live/renewal.ts'
import { keysThatNeedRestart } from '../config/changed-keys.ts'
import type { ConfigWithSecrets } from '../config/config.ts'
import type { Dispatcher } from '../delivery/dispatcher.ts'
import type { Sender } from '../delivery/send.ts'
import type { ReplaceableAddressRules } from '../domain/address-rules.ts'
import type { Store } from '../domain/store.ts'
import { messageOf } from '../platform/errors.ts'
import type { Log } from '../platform/log.ts'
import type { Alarms } from './alarms/alarms.ts'
import type { GatewayCertificates } from './certificates.ts'
import { syncDestinations } from './forwarding.ts'
import type { ServiceClients } from './service-clients.ts'

export interface Reloaded extends Renewal {
  /** Keys of the file that differ from those in use and take effect only after a restart. */
  readonly needRestart: readonly string[]
}

/** Takes up the destinations of the configuration file, and the networks that destinations may be in, one change after the other. */
export function configuredDestinations(
  started: ConfigWithSecrets,
  parts: {
    certificates: GatewayCertificates
    rules: ReplaceableAddressRules
    sender: Sender
    service: Pick<ServiceClients, 'renewAll'>
    alarms: Pick<Alarms, 'take'>
    store: Store
    dispatcher: Dispatcher
    log: Log
  },
) {
  const { certificates, rules, sender, service, alarms, store, dispatcher, log } = parts
  let known = started
  let latest: Promise<unknown> = Promise.resolve()

  function inTurn<T>(change: () => Promise<T>): Promise<T> {
    const changed = latest.then(change)
    latest = changed.catch(() => undefined)
    return changed
  }

  /** Destinations first, all of them or none: where they fail, certificates stay unchanged too. */
  async function take(config: ConfigWithSecrets): Promise<Reloaded> {
    await syncDestinations(config, store, log)
    // Open connections may lead to addresses that are not allowed any more.
    if (rules.replace(config.forwarding.allowedNetworks)) {
      sender.renew()
      service.renewAll()
    }
    alarms.take(config)
    // Each change is logged once; a key that was changed back needs no restart.
    const changed = keysThatNeedRestart(known, config)
    const needRestart = keysThatNeedRestart(started, config)
    const keys = needRestart.filter((key) => changed.includes(key))
    if (keys.length > 0) log.warn({ keys, hint: 'restart the gateway' }, 'configuration.needs_restart')
    known = config
    const renewal = certificates.reload(config)
    await dispatcher.refresh()
    return { ...renewal, needRestart }
  }

  async function takeAuthorities(): Promise<void> {
    await syncDestinations(certificates.current().config, store, log)
    await dispatcher.refresh()
  }

  return {
    reload: (config: ConfigWithSecrets) => inTurn(() => take(config)),
    renew() {
      inTurn(takeAuthorities).catch((error: unknown) => {
        const advice = 'send SIGHUP once the database accepts changes: until then the earlier authorities stay in use'
        log.error({ error: messageOf(error), hint: advice }, 'destinations.not_renewed')
      })
    },
  }
}
