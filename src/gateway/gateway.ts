import type { RunCheck } from '../api/check/check-runs.ts'
import type { Renewal } from '../certificates/live/renewal.ts'
import type { Config, ConfigWithSecrets } from '../config/config.ts'
import type { Log } from '../platform/log.ts'
import type { Address, PassedSockets } from './addresses.ts'
import type { ApiAccess } from './api.ts'
import { createClosing } from './close.ts'
import type { UsedConfiguration } from './configuration.ts'
import type { Reloaded } from './destinations.ts'
import { closeAfterFailedStart } from './failed-start.ts'
import { startListening } from './listening.ts'
import { createSharedTime } from './nodes/shared-time.ts'
import { openAll } from './opening.ts'
import { buildServices } from './services.ts'

export interface Gateway {
  readonly addresses: { readonly callbacks: Address; readonly charges: Address | null; readonly api: Address }
  /** Certificate files that were created because they were missing; only in development. */
  readonly made: readonly string[]
  /**
   * Takes up certificates, chains and destinations of the configuration. The log names changed keys that need a restart. A certificate or chain
   * that cannot be used leaves the earlier one in use.
   */
  reload(config: ConfigWithSecrets): Promise<Reloaded>
  /** Takes up the chains of the configuration alone, with the rules for their callers. */
  reloadTrust(config: Config): Promise<Renewal>
  /** What it runs with; a reload that took nothing up is reported there. */
  readonly configuration: UsedConfiguration
  /** False: something has waited for the writer for so long that only a restart helps. */
  isAlive(): boolean
  /**
   * Stops accepting, finishes requests, commits and closes, within 10 s.
   * @throws Error whose `cause` is the first failure; everything else is closed nevertheless
   */
  stop(): Promise<void>
}

export interface GatewayOptions {
  readonly log: Log
  /** The store is lost: the process must end, so that its supervisor restarts it. */
  readonly onLost: (error: Error) => void
  readonly sockets?: PassedSockets
  /** For a request on the control socket: reads the configuration file and calls `Gateway.reload`; left out: the request is not served. */
  readonly reloadConfiguration?: ApiAccess['reloadConfiguration']
  /** Runs `portaria check`; left out: the request is not served. */
  readonly runCheck?: RunCheck | null
  /** How many log lines were lost. */
  readonly droppedLines?: () => number
  /** Takes functions that log what is still summed up, for an end of the process without a stop. */
  readonly sumUpWith?: (logSums: () => void) => void
}

/** A live writer takes less for its slowest batch, also where it waits for the disk. */
const SILENCE_LIMIT_MS = 40_000

/**
 * Opens every part of a gateway and connects them, in three stages: the store, what works on it, and the listeners. They close in reverse order, also
 * when a later part fails to open.
 * @throws PortariaError for every certificate, chain, database, port or destination that cannot be used, before any connection is accepted
 */
export async function startGateway(
  config: ConfigWithSecrets,
  {
    log,
    onLost,
    sockets = {},
    reloadConfiguration = null,
    runCheck = null,
    droppedLines = () => 0,
    sumUpWith = () => undefined,
  }: GatewayOptions,
): Promise<Gateway> {
  const closing = createClosing()
  const time = createSharedTime()
  const common = { log, now: time.now, closing, sumUpWith }
  try {
    const opened = await openAll(config, { ...common, time, onLost })
    const services = await buildServices(config, opened, { ...common, runCheck })
    const listening = { ...common, sockets, reloadConfiguration, droppedLines }
    const { addresses, ...reloads } = await startListening(config, { opened, services }, listening)
    services.jobs.start()
    const { readiness, store, made } = opened
    readiness.setListening(true)
    services.alarms.start()
    closing.defer(() => readiness.setListening(false))
    return {
      addresses,
      made,
      ...reloads,
      configuration: opened.configuration,
      isAlive: () => store.pulse().silentMs < SILENCE_LIMIT_MS,
      stop: closing.close,
    }
  } catch (error) {
    await closeAfterFailedStart(closing, log)
    throw error
  }
}
