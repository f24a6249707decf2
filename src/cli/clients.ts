import { Command, InvalidArgumentError, Option } from 'commander'
import { CLIENT_CHANGES, CLIENT_READS } from '../api/clients/contract.ts'
import { DEFAULT_GRACE, problemOfGrace } from '../api/clients/schema.ts'
import type { AnswerOf } from '../api/http/contract.ts'
import type { CertificateRecord } from '../certificates/authority/records.ts'
import { CLIENT_ENVIRONMENTS } from '../domain/client.ts'
import { SCOPES, scopeNames } from '../domain/scopes.ts'
import { PortariaError } from '../platform/errors.ts'
import { COMMAND } from '../platform/installation.ts'
import { say } from '../platform/said.ts'
import { withChanger, withChanges } from './caller.ts'
import { clientCertificateCommand } from './certs/client-certificate.ts'
import type { Listing } from './listing/listing.ts'
import { anEnvironment, type ChangeOption, remoteGroup, withConfig, withListing, withReason } from './options.ts'
import { action, printResult, sectionOf, tell } from './output.ts'
import { lists, shows } from './plain-actions.ts'
import { chosenRemote } from './remote/chosen.ts'

type View = AnswerOf<typeof CLIENT_READS.showClient>
type Issued = AnswerOf<typeof CLIENT_CHANGES.rotateClient>

export function clientsCommand(): Command {
  const certificate = clientCertificateCommand()
  return remoteGroup('clients', [
    createCommand(),
    listCommand(),
    showCommand(),
    rotateCommand(),
    revokeCommand(),
    certificate,
  ])
}

interface CreateOptions extends ChangeOption {
  readonly name: string
  readonly environment: string
  readonly scopes: string[]
}

function createCommand(): Command {
  return withReason(new Command('create'))
    .description('Create a client; its secret is shown once')
    .requiredOption('--name <name>', 'name of the client')
    .addOption(
      new Option(
        '--environment <name>',
        'environment of the events that it reads and of the webhooks that it registers',
      )
        .choices(CLIENT_ENVIRONMENTS)
        .argParser((text) =>
          text === 'any'
            ? text
            : anEnvironment(text, 'It must be production (producao), sandbox (homologacao) or any.'),
        )
        .makeOptionMandatory(),
    )
    .requiredOption('--scopes <scopes>', `scopes, separated by spaces: ${SCOPES_TEXT}`, words)
    .option('--json', 'print one JSON object')
    .action(action(create))
}

/** The configuration, which may rename `svc`, is not read yet. */
const SCOPES_TEXT = SCOPES.map(scopeNames('svc').nameOf).join(' ')

function words(text: string): string[] {
  return text.split(/[\s,]+/).filter((word) => word !== '')
}

async function create({ name, environment, scopes, ...options }: CreateOptions): Promise<void> {
  const issued = await withChanges(options, (call) =>
    call<Issued>('POST', '/v1/clients', { name, environment, scopes }),
  )
  await printIssued(issued, options)
}

async function printIssued(issued: Issued, options: ChangeOption): Promise<void> {
  const { clientSecret, warnings = [], ...client } = issued
  const secret = `\nClient secret, which cannot be shown again:\n\n  ${clientSecret}\n`
  await printResult(options, issued, textOf(client) + secret)
  if (options.json !== true) for (const warning of warnings) tell(say`warning: ${{ warning }}`)
}

function textOf({ scopes, ...client }: View): string {
  return sectionOf('client', { ...client, scopes: scopes.join(' ') })
}

function listCommand(): Command {
  return withListing(new Command('list'), 1000)
    .description('List clients')
    .option('--revoked', 'also list revoked clients')
    .action(lists(CLIENT_READS.listClients, LISTING))
}

const LISTING: Listing<View> = {
  columns: [
    { name: 'id', of: 'clientId' },
    'name',
    { name: 'state', of: ({ revokedAt }) => (revokedAt === null ? 'active' : 'revoked') },
    'environment',
    { name: 'created', of: 'createdAt', leftOut: 1 },
    { name: 'scopes', of: ({ scopes }) => scopes.join(' '), cut: 'right' },
  ],
  none: `no clients; create one with: ${COMMAND} clients create`,
}

function showCommand(): Command {
  return withConfig(new Command('show'))
    .description('Show one client; its secret cannot be shown again')
    .argument('<name>', 'name or id')
    .option('--json', 'print one JSON object')
    .action(shows(CLIENT_READS.showClient, textOf))
}

function rotateCommand(): Command {
  return withReason(new Command('rotate'))
    .description('Issue a new secret, shown once; the old secret stays valid for the grace period')
    .argument('<name>', 'name or id')
    .option(
      '--grace <time>',
      'how long the old secret stays valid; 0s: the old secret and its tokens stop working at once',
      grace,
      DEFAULT_GRACE,
    )
    .option('--json', 'print one JSON object')
    .action(
      action(async (name: string, { grace, ...options }: ChangeOption & { readonly grace: string }) => {
        const input = { segments: { id: name }, body: { grace } }
        const issued = await withChanger(options, ({ ask }) => ask(CLIENT_CHANGES.rotateClient, input))
        await printIssued(issued, options)
      }),
    )
}

function grace(text: string): string {
  const problem = problemOfGrace(text)
  if (problem !== null) throw new InvalidArgumentError(`${problem}.`)
  return text
}

function revokeCommand(): Command {
  return withReason(new Command('revoke'))
    .description('Revoke permanently; secrets and tokens stop working immediately')
    .argument('<name>', 'name or id')
    .option('--json', 'print one JSON object')
    .action(
      action(async (name: string, options: ChangeOption) => {
        const [revoked, left] = await withChanger(options, async ({ ask }) => {
          const { DESTINATION_READS } = await import('../api/destinations/contract.ts')
          const revoked = await ask(CLIENT_CHANGES.revokeClient, { segments: { id: name } })
          const { data } = await ask(DESTINATION_READS.listDestinations, { query: { limit: 1000 } })
          return [revoked, data.filter(({ owner }) => owner === revoked.clientId)] as const
        })
        const hints = [...left.map(goesOn), ...(await certificatesOf(revoked.clientId, options)).map(staysValid)]
        await printResult(options, revoked, `${revoked.name} is revoked\n${hints.join('')}`)
      }),
    )
}

/** A revocation cancels no deliveries: the operator decides about the client's destinations. */
function goesOn({ name }: { readonly name: string }): string {
  return `its destination ${name} still receives events; to stop that: ${COMMAND} destinations delete ${name}\n`
}

/** Those of this machine's private authority that are valid. */
async function certificatesOf(client: string, options: ChangeOption): Promise<CertificateRecord[]> {
  if (chosenRemote() !== null) return []
  const { readConfig } = await import('./config-file.ts')
  const folder = readConfig(options).certificates.authority
  if (folder === null) return []
  const { readAuthority } = await import('../certificates/authority/authority.ts')
  const { recordsOf, stateOf } = await import('../certificates/authority/records.ts')
  try {
    const records = recordsOf(readAuthority(folder))
    const now = Date.now()
    return records.filter((one) => one.client === client && ['valid', 'replaced'].includes(stateOf(one, records, now)))
  } catch (error) {
    if (error instanceof PortariaError) return []
    throw error
  }
}

function staysValid({ serial, notAfter }: CertificateRecord): string {
  return `its certificate is valid until ${notAfter.slice(0, 10)} and opens connections; to revoke it: ${COMMAND} certs revoke ${serial}\n`
}
