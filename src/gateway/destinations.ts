import type { Renewal } from '../certificates/live/renewal.ts'
import { keysThatNeedRestart } from '../config/changed-keys.ts'
import type { Config, ConfigWithSecrets } from '../config/config.ts'
import type { Dispatcher } from '../delivery/dispatcher.ts'
import type { Sender } from '../delivery/send.ts'
import type { ReplaceableAddressRules } from '../domain/address-rules.ts'
import type { Store } from '../domain/store.ts'
import { messageOf } from '../platform/errors.ts'
import type { FileProblem } from '../domain/unused-files.ts'
import type { Log } from '../platform/log.ts'
import type { Alarms } from './alarms/alarms.ts'
import type { GatewayCertificates } from './certificates.ts'
import type { UsedConfiguration } from './configuration.ts'
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
    configuration: Pick<UsedConfiguration, 'taken'>
    store: Store
    dispatcher: Dispatcher
    log: Log
  },
) {
  const { certificates, configuration, rules, sender, service, alarms, store, dispatcher, log } = parts
  let known = started
  let latest: Promise<unknown> = Promise.resolve()

  function inTurn<T>(change: () => Promise<T>): Promise<T> {
    const changed = latest.then(change)
    latest = changed.catch(() => undefined)
    return changed
  }

  /** Certificates and chains first: that a caller is denied must not wait for a database that accepts no change. */
  async function take(config: ConfigWithSecrets): Promise<Reloaded> {
    const renewal = certificates.reload(config)
    const problems = [...renewal.problems, ...(await takeDestinations(config))]
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
    configuration.taken(config, needRestart)
    // A failed refresh is repeated.
    await dispatcher.refresh().catch(() => undefined)
    return { renewed: renewal.renewed, problems, needRestart }
  }

  /** All of them or none. */
  async function takeDestinations(config: ConfigWithSecrets): Promise<FileProblem[]> {
    try {
      await syncDestinations(config, store, log)
      return []
    } catch (error) {
      log.error({ error: messageOf(error), hint: ADVICE }, 'destinations.not_renewed')
      return [{ what: 'the list of destinations', problem: messageOf(error), file: null, use: 'earlier' }]
    }
  }

  async function takeAuthorities(): Promise<void> {
    await syncDestinations(certificates.current().config, store, log)
    await dispatcher.refresh()
  }

  return {
    reload: (config: ConfigWithSecrets) => inTurn(() => take(config)),
    reloadTrust: ({ callbacks }: Pick<Config, 'callbacks'>) =>
      inTurn(async () => certificates.reloadTrust(callbacks.trust)),
    renew() {
      inTurn(takeAuthorities).catch((error: unknown) => {
        log.error({ error: messageOf(error), hint: ADVICE }, 'destinations.not_renewed')
      })
    },
  }
}

const ADVICE = 'reload once the database accepts changes: until then the earlier ones stay in use'
