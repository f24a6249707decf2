import { Command } from 'commander'
import type { Config, ConfigWithServiceSecrets } from '../../config/config.ts'
import { realmNamed } from '../../config/institutions.ts'
import { institutionOf, partsOf, type Realm } from '../../domain/realm.ts'
import { PortariaError } from '../../platform/errors.ts'
import { say } from '../../platform/said.ts'
import type { ServiceClient } from '../../service/client.ts'
import { deleteWebhook, registerWebhook } from '../../service/webhooks.ts'
import { readServiceConfig } from '../config-file.ts'
import { readOptionText } from '../option-files.ts'
import { printable, printLine, printText, tell, wrongUsage } from '../output.ts'
import { type AddressFlags, checkAddress } from './address-check.ts'
import { lostAnswerOf, withServiceClient } from './connection.ts'
import {
  type ChangeOptions,
  mayChange,
  serviceAction,
  type WebhookOptions,
  withAddressCheck,
  withChange,
  withWebhooks,
} from './options.ts'
import { callbackUrl, isSameUrl } from './own-addresses.ts'
import { type HeldWebhook, heldWebhooks, planRegistration, type RegistrationPlan } from './webhook-plan.ts'

interface CreateOptions extends WebhookOptions, ChangeOptions, AddressFlags {
  readonly kind?: string
  readonly suffix?: string
  readonly query?: string
  readonly queryFile?: string
  readonly replace?: string
}

export function createCommand(): Command {
  const command = withChange(withWebhooks(new Command('create')))
    .description('Register the address of this gateway at the service, after the checks of check --url')
    .option('--kind <name>', 'kind whose path is registered (default: the one with the name of the interface)')
    .option('--suffix <text>', 'text behind the path, one of the suffixes')
    .option('--query <text>', 'query behind the path, such as x=')
    .option('--query-file <file>', 'file with the query, in place of --query: for a query with a secret')
    .option('--replace <url>', 'address of somebody else to delete as soon as the service has the new one')
    .option('--json', 'print one JSON object')
  return withAddressCheck(command).action(serviceAction(create))
}

async function create(options: CreateOptions): Promise<void> {
  const { interface: on, kind = on, suffix = '', replace = null } = options
  const config = readServiceConfig(options)
  const realm = realmNamed(config, options)
  const url = callbackUrl(config, { institution: institutionOf(realm), kind, suffix, query: queryOf(options) })
  const checked = url.includes('?') && suffix !== '' ? withoutSuffixes(config) : config
  const warnings = await checkAddress(checked, url, { ...options, realm })
  for (const warning of warnings) if (options.json !== true) tell(say`warning: ${{ warning }}`)
  await withServiceClient(config, realm, async (client) => {
    const plan = planRegistration(await heldWebhooks(config, client, options), { url, kind, replace })
    await carryOut(plan, { config, client, realm, options, warnings })
  })
}

/** Behind a suffix the gateway accepts no other one, and with a query the service's own does not reach the path. */
function withoutSuffixes(config: ConfigWithServiceSecrets): Config {
  const institutions = config.institutions.map((one) => ({ ...one, suffixes: [] }))
  return { ...config, callbacks: { ...config.callbacks, suffixes: [] }, institutions }
}

interface Creating {
  readonly config: ConfigWithServiceSecrets
  readonly client: ServiceClient
  readonly realm: Realm
  readonly options: CreateOptions
  readonly warnings: readonly string[]
}

async function carryOut(plan: RegistrationPlan, creating: Creating): Promise<void> {
  const { realm, options } = creating
  if (options.json !== true) await printText(planText(plan))
  const isDone = plan.isHeld && plan.replaced.length === 0
  if (isDone) return printResult(plan, creating, 'already')
  if (options.dryRun === true) return printResult(plan, creating, 'would_register')
  if (!(await mayChange(options, `Make this change at the service (${realm}, ${options.interface})?`))) return
  if (!plan.isHeld) await register(plan, creating)
  for (const one of plan.replaced) await deleteWebhook(creating.client, one)
  await readBack(plan, creating)
  await printResult(plan, creating, plan.isHeld ? 'already' : 'registered')
}

/** An answer that was lost is found in the list. @throws ServiceFailure, PortariaError `conflict` if the service does not have the address */
async function register({ url }: RegistrationPlan, creating: Creating): Promise<void> {
  const { client, options, config } = creating
  const lost = await lostAnswerOf(registerWebhook(client, options.interface, url))
  const held = await heldWebhooks(config, client, options)
  if (held.some((one) => isSameUrl(one.url, url))) return
  if (lost !== null) throw lost
  throw notKept(`the service accepted ${url}, but its list does not have it`)
}

/** @throws PortariaError `conflict` if the service has something else than planned */
async function readBack(plan: RegistrationPlan, { config, client, options }: Creating): Promise<void> {
  const held = await heldWebhooks(config, client, options)
  const has = (url: string) => held.some((one) => isSameUrl(one.url, url))
  const left = plan.replaced.filter(({ url }) => has(url)).map(({ url }) => `it still has ${url}`)
  const lost = plan.kept.filter(({ url }) => !has(url)).map(({ url }) => `it no longer has ${url}`)
  const missing = has(plan.url) ? [] : [`it does not have ${plan.url}`]
  const problems = [...missing, ...left, ...lost]
  if (problems.length > 0) throw notKept(`the list of the service is not as planned: ${problems.join('; ')}`)
}

function notKept(text: string): PortariaError {
  return new PortariaError('conflict', say`${{ text }}. Look at the list, and ask the service`)
}

/** @throws PortariaError `request_invalid` for two queries, or a file that cannot be read */
function queryOf({ query, queryFile }: CreateOptions): string {
  if (queryFile === undefined) return query ?? ''
  if (query !== undefined) throw wrongUsage(say`give --query or --query-file, not both`)
  return readOptionText('--query-file', queryFile).trim()
}

function planText({ url, isHeld, replaced, kept }: RegistrationPlan): string {
  const whose = ({ kind }: HeldWebhook) => (kind === null ? 'not ours' : `ours, kind ${kind}`)
  return [
    `  ${isHeld ? 'has     ' : 'register'}  ${url}`,
    ...replaced.map((one) => `  delete    ${one.url} (${whose(one)})`),
    ...kept.map((one) => `  keep      ${one.url} (${whose(one)}): the service calls it too`),
  ]
    .map((line) => `${printable(line)}\n`)
    .join('')
}

type Outcome = 'registered' | 'already' | 'would_register'

const WORDS: Readonly<Record<Outcome, string>> = {
  registered: '✓ registered: the list of the service has the address',
  already: '✓ the service has the address',
  would_register: 'only shown, nothing was changed',
}

async function printResult(plan: RegistrationPlan, creating: Creating, outcome: Outcome): Promise<void> {
  const { realm, options, warnings } = creating
  if (options.json !== true) return printText(`${WORDS[outcome]}\n`)
  await printLine({ ...partsOf(realm), interface: options.interface, outcome, ...plan, warnings })
}
