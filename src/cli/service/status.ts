import { Command } from 'commander'
import type { ServiceStatusListView, ServiceStatusView } from '../../api/service/endpoints.ts'
import type { Config } from '../../config/config.ts'
import { institutionOf, keyOf, realmOf } from '../../domain/realm.ts'
import { PortariaError } from '../../platform/errors.ts'
import { COMMAND } from '../../platform/installation.ts'
import { say } from '../../platform/said.ts'
import { readConfig, readServiceConfig } from '../config-file.ts'
import { askGateway, withRemote } from '../control-client.ts'
import { type ConfigOption, withConfig } from '../options.ts'
import { EXIT, printLine, printText, tell } from '../output.ts'
import { parseTimeout } from '../probe.ts'
import { chosenRemote, remotely } from '../remote/chosen.ts'
import { serviceAction } from './options.ts'
import { askService, isUncalled, tryUncalled } from './own-status.ts'
import { isRefused, statusText } from './status-view.ts'

interface StatusOptions extends ConfigOption {
  /** Seconds. */
  readonly timeout: string
}

export function statusCommand(): Command {
  return withConfig(remotely(new Command('status')))
    .description('Show whether the service accepts credentials and certificate, the budget left, and tokens that wait')
    .option('--json', 'print one JSON object per environment and institution')
    .option('--timeout <seconds>', 'time limit for the answers of the service', '15')
    .addHelpText('after', '\nExit code: 0 nothing is refused, 1 the service or this machine refuses something.')
    .action(serviceAction(status))
}

async function status(options: StatusOptions): Promise<void> {
  const found = await statusesFor(options)
  if (options.json === true) for (const one of found) await printLine(one)
  else await printText(found.length === 0 ? NONE : found.map(statusText).join('\n'))
  if (found.some(isRefused)) process.exitCode = EXIT.no
}

async function statusesFor(options: StatusOptions): Promise<readonly ServiceStatusView[]> {
  const timeoutMs = parseTimeout(options.timeout)
  if (chosenRemote() !== null)
    return withRemote(async (call) => (await call<ServiceStatusListView>('GET', '/v1/service')).data)
  const config = readConfig(options)
  const known = await statusOfGateway(config)
  const isCurrent = known !== null && isTakenUp(config, known)
  return isCurrent ? complete(known, options) : askService(readServiceConfig(options), timeoutMs)
}

const NONE = 'no environment has an entry under service in the configuration; config/portaria.yaml shows one\n'

/** null: no gateway runs, or one that is older than this command. */
async function statusOfGateway(config: Config): Promise<readonly ServiceStatusView[] | null> {
  try {
    return (await askGateway<ServiceStatusListView>(config, 'GET', '/v1/service'))?.data ?? null
  } catch (error) {
    if (error instanceof PortariaError && error.code === 'not_found') return null
    throw error
  }
}

/** Whether the running gateway has the environments of the file. */
function isTakenUp({ service }: Config, known: readonly ServiceStatusView[]): boolean {
  const realms = known.map(({ institution, environment }) => realmOf(institution, environment))
  const missing = service.filter(({ environment }) => !realms.includes(environment))
  for (const { environment } of missing)
    tell(
      say`the running gateway has no entry for ${{ environment }} under ${{ service: keyOf(institutionOf(environment), 'service') }} yet: ${{ command: COMMAND }} reload`,
    )
  return missing.length === 0
}

/** The gateway itself calls only the interfaces that it needs for tokens and routes. */
async function complete(
  known: readonly ServiceStatusView[],
  options: StatusOptions,
): Promise<readonly ServiceStatusView[]> {
  if (!known.some(({ interfaces }) => interfaces.some(isUncalled))) return known
  try {
    return await tryUncalled(readServiceConfig(options), { statuses: known, timeoutMs: parseTimeout(options.timeout) })
  } catch (error) {
    // Credentials exist only while the service manager runs the gateway.
    if (!(error instanceof PortariaError) || error.code !== 'configuration_invalid') throw error
    tell(say`interfaces that the gateway has not called were not tried: this command cannot read the client secret`)
    return known
  }
}
