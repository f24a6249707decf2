import { Command, Option } from 'commander'
import type { ConfigWithServiceSecrets } from '../../config/config.ts'
import { realmNamed } from '../../config/institutions.ts'
import { institutionOf, partsOf, type Realm } from '../../domain/realm.ts'
import { PortariaError } from '../../platform/errors.ts'
import { say } from '../../platform/said.ts'
import type { ServiceClient } from '../../service/client.ts'
import { ServiceFailure } from '../../service/failure.ts'
import {
  type OpenBankingSettings,
  putOpenBankingSettings,
  receivesWithoutKey,
  showOpenBankingSettings,
} from '../../service/open-banking.ts'
import { readServiceConfig } from '../config-file.ts'
import { readOptionText } from '../option-files.ts'
import { group } from '../options.ts'
import { print, printLine, printText, sectionOf, tell, wrongUsage } from '../output.ts'
import { type AddressFlags, checkAddress } from './address-check.ts'
import { lostAnswerOf, withServiceClient } from './connection.ts'
import {
  type ChangeOptions,
  mayChange,
  type ServiceOptions,
  serviceAction,
  withAddressCheck,
  withChange,
  withService,
} from './options.ts'
import { callbackUrl, isSameUrl, ownKindOf } from './own-addresses.ts'

const KIND = 'openBanking'
const HMAC_WARNING =
  'warning: this listener refuses callers without a client certificate, with hmac too: the service must show its own. ' +
  'To do without, make the hash a token of chargeNotifications.pathTokens, and name the address of that listener with --webhook-url'

interface SetOptions extends ServiceOptions, ChangeOptions, AddressFlags {
  readonly redirectUrl?: string
  readonly webhookUrl?: string
  readonly kind: string
  readonly security: 'mtls' | 'hmac'
  readonly hashFile?: string
  readonly processPayment?: string
  readonly replace?: string
}

export function openBankingCommand(): Command {
  return group('open-banking', [showCommand(), setCommand()]).description(
    'Show and set the addresses of open banking at the service',
  )
}

function showCommand(): Command {
  return withService(new Command('show'))
    .description('Show the settings of open banking at the service, and whether the account can receive such payments')
    .option('--json', 'print one JSON object')
    .action(serviceAction(show))
}

async function show(options: ServiceOptions): Promise<void> {
  const config = readServiceConfig(options)
  const realm = realmNamed(config, options)
  await withServiceClient(config, realm, async (client) => {
    const settings = await showOpenBankingSettings(client)
    const account = await accountState(config, client)
    if (options.json === true) return printLine({ ...partsOf(realm), settings: withoutHash(settings), ...account })
    await printText(settings === null ? 'nothing is set yet\n' : settingsText('settings of open banking', settings))
    warn(account)
  })
}

function setCommand(): Command {
  const command = withChange(withService(new Command('set')))
    .description('Set the addresses of open banking at the service; replaces all settings')
    .option('--redirect-url <url>', 'where payers return to (default: the address that is set)')
    .option('--webhook-url <url>', 'address of callbacks (default: callbacks.publicUrl and the path of the kind)')
    .option('--kind <name>', 'kind whose path is registered', KIND)
    .addOption(
      new Option('--security <type>', 'how the service proves itself').choices(['mtls', 'hmac']).default('mtls'),
    )
    .option('--hash-file <file>', 'with --security hmac: file with the hash that the service sends back')
    .addOption(new Option('--process-payment <mode>', 'how payments are processed').choices(['sync', 'async']))
    .option('--replace <url>', 'address of somebody else that the service has and that may be replaced')
    .option('--json', 'print one JSON object')
  return withAddressCheck(command).action(serviceAction(set))
}

async function set(options: SetOptions): Promise<void> {
  const { webhookUrl } = options
  const config = readServiceConfig(options)
  const realm = realmNamed(config, options)
  const own = { institution: institutionOf(realm), kind: options.kind, suffix: '', query: '' }
  const webhookURL = webhookUrl ?? callbackUrl(config, own)
  const security = securityOf(options)
  const isOwn = ownKindOf(config, realm, webhookURL) !== null
  if (isOwn && security.type === 'hmac') tell(HMAC_WARNING)
  const warnings =
    isOwn && security.type === 'mtls' ? await checkAddress(config, webhookURL, { ...options, realm }) : []
  for (const warning of warnings) tell(say`warning: ${{ warning }}`)
  await withServiceClient(config, realm, async (client) => {
    const held = await showOpenBankingSettings(client)
    const redirectURL = options.redirectUrl ?? held?.redirectURL
    if (redirectURL === undefined)
      throw wrongUsage(say`nothing is set yet: give --redirect-url, where payers return to`)
    checkReplaced(config, held, { ...options, realm, webhookURL })
    const { processPayment } = options
    const settings = {
      redirectURL,
      webhookURL,
      webhookSecurity: security,
      ...(processPayment !== undefined && { processPayment }),
      ...(held?.generateTxIdForInic !== undefined && { generateTxIdForInic: held.generateTxIdForInic }),
    }
    await carryOut(settings, { config, client, options, held })
  })
}

/** @throws PortariaError `conflict` if the service has the address of somebody else */
function checkReplaced(
  config: ConfigWithServiceSecrets,
  held: OpenBankingSettings | null,
  { realm, replace, webhookURL }: SetOptions & { readonly realm: Realm; readonly webhookURL: string },
): void {
  if (held === null || isSameUrl(held.webhookURL, webhookURL) || ownKindOf(config, realm, held.webhookURL) !== null)
    return
  if (replace !== undefined && isSameUrl(replace, held.webhookURL)) return
  throw new PortariaError(
    'conflict',
    say`the service has the address ${{ url: held.webhookURL }}, which is not of this gateway: nothing was changed. To replace it, add --replace ${{ url: held.webhookURL }}`,
  )
}

interface Setting {
  readonly config: ConfigWithServiceSecrets
  readonly client: ServiceClient
  readonly options: SetOptions
  readonly held: OpenBankingSettings | null
}

async function carryOut(settings: OpenBankingSettings, { config, client, options, held }: Setting): Promise<void> {
  const { json } = options
  const realm = client.environment
  if (json !== true) {
    if (held !== null) await print(settingsText('now', held))
    await print(settingsText('to be set', settings))
  }
  const isDry = options.dryRun === true
  if (!isDry && !(await mayChange(options, `Replace the settings of open banking at the service (${realm})?`))) return
  if (!isDry) await setAndReadBack(client, settings)
  const account = await accountState(config, client)
  const outcome = isDry ? 'would_set' : 'set'
  if (json === true) return printLine({ ...partsOf(realm), outcome, settings: withoutHash(settings), ...account })
  await printText(isDry ? say`only shown, nothing was changed` : say`✓ set: the service has these settings`)
  warn(account)
}

/** An answer that was lost is found by reading. @throws ServiceFailure, PortariaError `conflict` */
async function setAndReadBack(client: ServiceClient, settings: OpenBankingSettings): Promise<void> {
  const lost = await lostAnswerOf(putOpenBankingSettings(client, settings))
  const held = await showOpenBankingSettings(client)
  const { redirectURL, webhookURL, webhookSecurity } = settings
  const isHeld =
    held !== null &&
    isSameUrl(held.webhookURL, webhookURL) &&
    isSameUrl(held.redirectURL, redirectURL) &&
    held.webhookSecurity.type === webhookSecurity.type
  if (isHeld) return
  if (lost !== null) throw lost
  throw new PortariaError(
    'conflict',
    say`the service accepted the settings, but shows others: repeat, or ask the service`,
  )
}

/** @throws PortariaError `request_invalid` */
function securityOf({ security, hashFile }: SetOptions): OpenBankingSettings['webhookSecurity'] {
  if (security === 'mtls' && hashFile === undefined) return { type: 'mtls' }
  if (security === 'mtls') throw wrongUsage(say`--hash-file is for --security hmac`)
  if (hashFile === undefined) throw wrongUsage(say`--security hmac needs --hash-file`)
  return { type: 'hmac', hash: readOptionText('--hash-file', hashFile).trim() }
}

interface AccountState {
  /** null: unknown. */
  readonly receberSemChave: boolean | null
  /** null: none. */
  readonly warning: string | null
}

/** Document 1: with open banking the setting should be true. It is only a warning, so a failure to read it is one too. */
async function accountState(config: ConfigWithServiceSecrets, client: ServiceClient): Promise<AccountState> {
  const consequence = 'with open banking it should be true, otherwise payments can fail'
  try {
    const receberSemChave = await receivesWithoutKey(client, config.api.servicePathSegment)
    if (receberSemChave === true) return { receberSemChave, warning: null }
    const found = receberSemChave === false ? 'is false' : 'is not set'
    return { receberSemChave, warning: `receberSemChave of the account ${found}: ${consequence}` }
  } catch (error) {
    if (!(error instanceof ServiceFailure)) throw error
    const warning = `receberSemChave of the account could not be read (${error.message}): ${consequence}`
    return { receberSemChave: null, warning }
  }
}

function warn({ warning }: AccountState): void {
  if (warning !== null) tell(say`warning: ${{ warning }}`)
}

function settingsText(title: string, settings: OpenBankingSettings): string {
  const { webhookSecurity, ...addresses } = settings
  return sectionOf(title, { ...addresses, security: webhookSecurity.type })
}

/** The hash is a secret. */
function withoutHash(settings: OpenBankingSettings | null) {
  return settings && { ...settings, webhookSecurity: { type: settings.webhookSecurity.type } }
}
