import { realpathSync } from 'node:fs'
import { isatty } from 'node:tty'
import { Command, Option } from 'commander'
import type { ExpectedFile, ReloadedConfiguration } from '../api/gateway/endpoints.ts'
import type { Config, ConfigWithSecrets } from '../config/config.ts'
import { findMistakes, loadConfig } from '../config/load-config.ts'
import { hashOfFile } from '../config/yaml-source.ts'
import { problemText } from '../domain/unused-files.ts'
import type { Reloaded } from '../gateway/destinations.ts'
import { type Gateway, type GatewayOptions, startGateway } from '../gateway/gateway.ts'
import { guarded } from '../platform/background.ts'
import { messageOf, PortariaError } from '../platform/errors.ts'
import { COMMAND } from '../platform/installation.ts'
import { ADDRESSES_ADVICE, machineAddresses } from '../platform/machine-addresses.ts'
import { nameOfDatabase } from '../platform/postgres/postgres-address.ts'
import { proxyVariable } from '../platform/proxy-variables.ts'
import { say } from '../platform/said.ts'
import { hasNeededFixes, NODE_ADVICE, SAFE_NODE, VERSION } from '../platform/version.ts'
import { chooseConfig } from './config-file.ts'
import { translatedLines } from './language/language.ts'
import { createProcessLog, LOG_FORMATS, type LogFormat, type ProcessLog } from './log/log.ts'
import { type ConfigOption, withConfig } from './options.ts'
import { action, EXIT } from './output.ts'
import { bannerOf } from './serve/banner.ts'
import { checkInProcess } from './serve/check-process.ts'
import { createEnding, type Ending } from './serve/ending.ts'
import { takePassedSockets } from './serve/passed-sockets.ts'
import { type ServiceManager, takeServiceManager } from './serve/service-manager.ts'
import { feedWatchdog, notifyReload } from './serve/supervision.ts'

const STOP_LIMIT_MS = 9500
const STDIN = 0

interface ServeOptions extends ConfigOption {
  readonly logFormat?: LogFormat
}

export function serveCommand(): Command {
  return withConfig(new Command('serve'))
    .addOption(
      new Option('--log-format <format>', 'form of log lines (default: text in a terminal, json elsewhere)').choices(
        LOG_FORMATS,
      ),
    )
    .action(action(serve))
}

async function serve(options: ServeOptions): Promise<void> {
  const config = loadConfig(chooseConfig(options))
  const log = createProcessLog(config.log.level, options.logFormat)
  const ending = createEnding(log)
  logCrashes(log, ending)
  const stopped = untilStopSignal()
  const reloads = reloadOnSignal(config.file, log)
  warnOfOldNode(config, log)
  warnOfUnknownAddresses(log)
  warnOfProxy(log)
  const manager = takeServiceManager(process.env, process.pid, log)
  const sockets = takePassedSockets(process.env, process.pid)
  const stopping = new AbortController()
  const gateway = await startUnlessStopped(config, {
    log,
    ending,
    sockets,
    stopped,
    reloadConfiguration: reloads.request,
    runCheck: checkInProcess(config.file, stopping.signal),
  })
  const { addresses } = gateway
  log.info(
    {
      version: VERSION,
      node: process.versions.node,
      ...addresses,
      name: config.node.name,
      database: nameOfDatabase(config.storage.database),
      // For these, the socket units determine the address, not the configuration.
      passed: Object.keys(sockets),
    },
    'gateway.started',
  )
  manager.notify('READY=1', `STATUS=Takes callbacks on ${addresses.callbacks.host} port ${addresses.callbacks.port}`)
  const unwatch = feedWatchdog(manager, gateway, log)
  reloads.begin(() => notifyReload(manager, () => reload(config.file, gateway, log)))
  // Not awaited: the gateway runs whether standard output is read or not.
  if (config.mode === 'development') process.stdout.write(translatedLines(bannerOf(config, gateway)))
  const signal = await stopped
  reloads.end()
  stopping.abort()
  log.info({ signal }, 'gateway.stopping')
  unwatch()
  await stopInTime({ gateway, manager, log, ending })
}

/** SIGHUP stops it only when its terminal was closed; otherwise SIGHUP is a reload. */
function untilStopSignal(): Promise<string> {
  const hadTerminal = isatty(STDIN)
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => resolve(signal))
    process.on('SIGHUP', () => hadTerminal && !isatty(STDIN) && resolve('SIGHUP'))
  })
}

/** Reloads on SIGHUP. During the start or a reload one more reload is remembered, because the files may have changed since they were read. */
function reloadOnSignal(file: string, log: ProcessLog) {
  let run: (() => Promise<ReloadedConfiguration>) | null = null
  let isWanted = false
  let isRunning = false

  const runWhileWanted = guarded(log, 'reloading', async () => {
    if (isRunning) return
    isRunning = true
    try {
      while (isWanted && run !== null) {
        isWanted = false
        // A failure is in the log.
        await run().catch(() => undefined)
      }
    } finally {
      isRunning = false
    }
  })

  process.on('SIGHUP', () => {
    isWanted = true
    runWhileWanted()
  })
  return {
    /** Reloads for a command, which gets the result. @throws PortariaError `conflict` during the start */
    async request(expected: ExpectedFile) {
      if (run === null) throw new PortariaError('conflict', say`the gateway is starting or stopping: try again`)
      refuseOtherFile(file, expected)
      return run()
    },
    begin(reloadNow: () => Promise<ReloadedConfiguration>) {
      run = reloadNow
      runWhileWanted()
    },
    end() {
      run = null
    },
  }
}

/** A command that means another file must not be told that the gateway uses it. @throws PortariaError `conflict` */
function refuseOtherFile(file: string, expected: ExpectedFile): void {
  if (expected.file === undefined) return
  const own = hashOfFile(file)
  if (isSameFile(file, expected.file) && (expected.sha256 ?? own) === own) return
  const words = `the running gateway has the configuration ${file} (SHA-256 ${own}), not ${expected.file} (SHA-256 ${expected.sha256 ?? 'unknown'})`
  throw new PortariaError(
    'conflict',
    `${words}: nothing was changed. Name its file with --config, or restart it with the other one`,
  )
}

function isSameFile(one: string, other: string): boolean {
  try {
    return one === other || realpathSync(one) === realpathSync(other)
  } catch {
    return false
  }
}

/** An invalid file changes nothing. @throws what is wrong with the file, after logging it */
async function reload(file: string, gateway: Gateway, log: ProcessLog): Promise<ReloadedConfiguration> {
  try {
    const reloaded = await takeUp(file, gateway)
    const { renewed, problems } = reloaded
    if (problems.length === 0) log.info({ renewed }, 'configuration.reloaded')
    else log.warn({ renewed, problems: problems.map(problemText), hint: RELOAD_AGAIN }, 'configuration.partly_reloaded')
    return { file, ...reloaded }
  } catch (error) {
    const details = error instanceof PortariaError ? error.details : []
    gateway.configuration.refused([messageOf(error), ...details].join('; '))
    const hint = `${RELOAD_AGAIN}: nothing was changed`
    log.error({ error: messageOf(error), details, hint }, 'configuration.not_reloaded')
    throw error
  }
}

const RELOAD_AGAIN = `correct it and reload again (${COMMAND} reload)`

/** A secret that cannot be read holds back no caller's `deny`: the chains are taken up alone. */
async function takeUp(file: string, gateway: Gateway): Promise<Reloaded> {
  try {
    return await gateway.reload(loadConfig(file))
  } catch (error) {
    const { config, mistakes } = findMistakes(file)
    if (config === null || mistakes.length === 0) throw error
    const { renewed, problems } = await gateway.reloadTrust(config)
    gateway.configuration.refused(mistakes.join('; '))
    const own = mistakes.map((problem) => ({ what: 'the configuration', problem, file: null, use: 'earlier' as const }))
    return { renewed, problems: [...own, ...problems], needRestart: [] }
  }
}

/** A stop signal during the start ends it at once: acknowledged callbacks are on disk, and the next start cleans up the rest. */
async function startUnlessStopped(
  config: ConfigWithSecrets,
  {
    log,
    ending,
    stopped,
    ...options
  }: { log: ProcessLog; ending: Ending; stopped: Promise<string> } & Pick<
    GatewayOptions,
    'sockets' | 'reloadConfiguration' | 'runCheck'
  >,
): Promise<Gateway> {
  let isStarting = true
  void stopped.then((signal) => {
    if (!isStarting) return
    log.info({ signal, while: 'starting' }, 'gateway.stopped')
    ending.end(EXIT.good)
  })
  try {
    return await startGateway(config, {
      log,
      ...options,
      droppedLines: log.dropped,
      sumUpWith: ending.sumUpWith,
      // A new process may reopen the store, this one can store nothing.
      onLost: (error) => ending.fail(() => log.error({ error: messageOf(error) }, 'store.lost')),
    })
  } finally {
    isStarting = false
  }
}

interface Stopping {
  readonly gateway: Gateway
  readonly manager: ServiceManager
  readonly log: ProcessLog
  readonly ending: Ending
}

async function stopInTime({ gateway, manager, log, ending }: Stopping): Promise<void> {
  const logReason = () => log.error({ afterMs: STOP_LIMIT_MS }, 'gateway.stop_timeout')
  const limit = setTimeout(() => ending.fail(logReason), STOP_LIMIT_MS)
  manager.notify('STOPPING=1')
  await Promise.all([gateway.stop(), manager.settled()])
  clearTimeout(limit)
  log.info({}, 'gateway.stopped')
  ending.end(EXIT.good)
}

function logCrashes(log: ProcessLog, ending: Ending): void {
  process.on('uncaughtException', (error) => {
    const stack = error instanceof Error ? error.stack : undefined
    ending.fail(() => log.error({ error: messageOf(error), stack }, 'gateway.crashed'))
  })
}

function warnOfOldNode(config: Config, log: ProcessLog): void {
  const node = process.versions.node
  // check names the other ones, which the daily run repeats.
  if (hasNeededFixes(node)) return
  const line = { node, safeFrom: SAFE_NODE }
  if (config.mode === 'production') log.error({ ...line, hint: NODE_ADVICE }, 'node.outdated')
  // On a developer's machine, one line of a terminal is enough.
  else log.warn({ ...line, hint: `"${COMMAND} check" says how to get it` }, 'node.outdated')
}

function warnOfProxy(log: ProcessLog): void {
  const variable = proxyVariable()
  if (variable !== null) log.warn({ variable, hint: PROXY_HINT }, 'proxy.not_used')
}

const PROXY_HINT =
  'the gateway connects to destinations, to the service, to alarm channels and to api.oidc by itself: open the firewall for it, or remove the variable'

/** Without them its own checks leave refusals behind, and destinations are called by IPv4 first. */
function warnOfUnknownAddresses(log: ProcessLog): void {
  if (machineAddresses() !== null) return
  log.warn({ hint: ADDRESSES_ADVICE }, 'machine.addresses_unknown')
}
