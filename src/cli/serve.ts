import { relative } from 'node:path'
import { Command } from 'commander'
import type { Config } from '../config/config.ts'
import { messageOf } from '../domain/errors.ts'
import { isOlder, SAFE_NODE, VERSION } from '../domain/version.ts'
import { type Gateway, startGateway } from '../gateway.ts'
import { createProcessLog, type ProcessLog } from './log.ts'
import { type ConfigOption, readConfig, withConfig } from './options.ts'
import { action, EXIT, print } from './output.ts'

const STOP_LIMIT_MS = 9500

export function serveCommand(): Command {
  return withConfig(new Command('serve'))
    .description('Run the gateway until it is told to stop (SIGTERM or SIGINT)')
    .action(action(serve))
}

async function serve(options: ConfigOption): Promise<void> {
  const config = readConfig(options)
  const log = createProcessLog(config.log.level)
  endLoudly(log)
  warnOfOldNode(config, log)
  // Before anything says that it runs: whoever reads that may stop it at once.
  const stopped = whenTold()
  const gateway = await startGateway(config, { log, onLost: (error) => dieOf(error, log) })
  log.info(
    { version: VERSION, node: process.versions.node, ...gateway.addresses, database: config.storage.file },
    'gateway.started',
  )
  if (config.mode === 'development') await print(bannerOf(config, gateway))
  const signal = await stopped
  log.info({ signal }, 'gateway.stopping')
  await stopInTime(gateway, log)
}

function whenTold(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => resolve(signal))
  })
}

async function stopInTime(gateway: Gateway, log: ProcessLog): Promise<never> {
  const limit = setTimeout(() => {
    log.error({ afterMs: STOP_LIMIT_MS }, 'gateway.stop_took_too_long')
    log.flush()
    process.exit(EXIT.no)
  }, STOP_LIMIT_MS)
  await gateway.stop()
  clearTimeout(limit)
  log.info({}, 'gateway.stopped')
  log.flush()
  process.exit(EXIT.good)
}

/** The store is lost: better a new process than one that can keep nothing. */
function dieOf(error: Error, log: ProcessLog): never {
  log.error({ error: messageOf(error) }, 'gateway.lost_its_store')
  log.flush()
  process.exit(EXIT.no)
}

function endLoudly(log: ProcessLog): void {
  process.on('uncaughtException', (error) => {
    log.error({ error: messageOf(error), stack: error instanceof Error ? error.stack : undefined }, 'gateway.crashed')
    log.flush()
    process.exit(EXIT.no)
  })
}

function warnOfOldNode(config: Config, log: ProcessLog): void {
  const node = process.versions.node
  if (!isOlder(node, SAFE_NODE)) return
  const line = { node, safeFrom: SAFE_NODE, do: `run the gateway on Node ${SAFE_NODE} or newer` }
  if (config.mode === 'production') log.error(line, 'node.outdated')
  else log.warn(line, 'node.outdated')
}

function bannerOf(config: Config, { addresses, made }: Gateway): string {
  const here = (path: string) => relative(process.cwd(), path) || '.'
  const certs = here(config.callbacks.certificate).replace(/server\.crt$/, '')
  const url = `https://localhost:${addresses.callbacks.port}${config.callbacks.kinds[0]?.path ?? '/'}`
  const caller = `--cacert ${certs}server-ca.crt --cert ${certs}service/sandbox-client.crt --key ${certs}service/sandbox-client.key`
  return `
Portaria ${VERSION} is ready, for development.${made.length > 0 ? ` Made ${made.length} files in ${certs}` : ''}

  callbacks  https://localhost:${addresses.callbacks.port}  mutual TLS: ${config.callbacks.kinds.map((kind) => kind.path).join('  ')}
  api        http://${addresses.api.host}:${addresses.api.port}
  database   ${here(config.storage.file)}

Play the service, in another terminal:

  export PORTARIA_CONFIG=${here(config.file)}
  curl ${caller} -d '{"identificador":"1"}' ${url}
  npx portaria events list
  npx portaria probe ${url} --ca ${certs}server-ca.crt --cert ${certs}service/sandbox-client.crt --key ${certs}service/sandbox-client.key
  npx portaria destinations create http://127.0.0.1:9000/hook

Ctrl-C stops it; nothing that was acknowledged is lost.

`
}
