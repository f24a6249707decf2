import { Command, InvalidArgumentError, Option } from 'commander'
import type { z } from 'zod'
import { findClient } from '../api/clients/registry.ts'
import { DEFAULT_GRACE, problemOfGrace } from '../api/clients/schema.ts'
import { clientView } from '../api/clients/view.ts'
import type { destinationPageSchema } from '../api/destinations/schema.ts'
import type { Config } from '../config/config.ts'
import { CLIENT_ENVIRONMENTS, type Client } from '../domain/client.ts'
import { SCOPES, scopeNames } from '../domain/scopes.ts'
import { withControl } from './control-client.ts'
import { type Listing, printList } from './listing.ts'
import { type ConfigOption, group, type ListOptions, readConfig, withConfig, withListing } from './options.ts'
import { action, print, printLine, sectionOf } from './output.ts'
import { withReader } from './reader.ts'

type View = ReturnType<typeof clientView>
type Issued = View & { readonly clientSecret: string }
type DestinationPage = z.output<typeof destinationPageSchema>
type JsonOption = ConfigOption & { readonly json?: boolean }

export function clientsCommand(): Command {
  return group('clients', 'Say which apps may use the API, and for what', [
    createCommand(),
    listCommand(),
    showCommand(),
    rotateCommand(),
    revokeCommand(),
  ])
}

interface CreateOptions extends JsonOption {
  readonly name: string
  readonly environment: string
  readonly scopes: string[]
}

function createCommand(): Command {
  return withConfig(new Command('create'))
    .description('Make a client; its secret is shown this one time')
    .requiredOption('--name <name>', 'what it is called')
    .addOption(
      new Option('--environment <name>', 'whose events it sees, and what it registers for')
        .choices(CLIENT_ENVIRONMENTS)
        .makeOptionMandatory(),
    )
    .requiredOption('--scopes <scopes>', `what it may do, with spaces between: ${SCOPES_TEXT}`, words)
    .option('--json', 'as one JSON object')
    .action(action(create))
}

/** The configuration, which may call `svc` otherwise, is not read yet. */
const SCOPES_TEXT = SCOPES.map(scopeNames('svc').nameOf).join(' ')

function words(text: string): string[] {
  return text.split(/[\s,]+/).filter((word) => word !== '')
}

async function create({ name, environment, scopes, ...options }: CreateOptions): Promise<void> {
  const issued = await withControl(readConfig(options), (ask) =>
    ask<Issued>('POST', '/v1/clients', { name, environment, scopes }),
  )
  await printIssued(issued, options)
}

async function printIssued(issued: Issued, options: JsonOption): Promise<void> {
  if (options.json === true) return printLine(issued)
  const { clientSecret, ...client } = issued
  await print(textOf(client))
  await print(`\nIts secret, which nobody can show again:\n\n  ${clientSecret}\n`)
}

function textOf({ scopes, ...client }: View): string {
  return sectionOf('client', { ...client, scopes: scopes.join(' ') })
}

function listCommand(): Command {
  return withListing(new Command('list'), 1000)
    .description('List clients')
    .option('--revoked', 'those that were revoked too')
    .action(action(list))
}

async function list({ revoked = false, ...options }: ListOptions & { readonly revoked?: boolean }): Promise<void> {
  const views = await readViews(readConfig(options), (clients) => clients.slice(0, options.limit), revoked)
  await printList(views, LISTING, options)
}

const LISTING: Listing<View> = {
  header: ['id', 'name', 'state', 'environment', 'created', 'scopes'],
  rowOf: ({ clientId, name, revokedAt, environment, createdAt, scopes }) => [
    ...[clientId, name, revokedAt === null ? 'active' : 'revoked', environment, createdAt, scopes.join(' ')],
  ],
  viewOf: (view) => view,
  none: 'no clients: make one with portaria clients create',
}

function showCommand(): Command {
  return withConfig(new Command('show'))
    .description('Show one client; nobody can show its secret')
    .argument('<name>', 'its name or id')
    .option('--json', 'as one JSON object')
    .action(
      action(async (name: string, options: JsonOption) => {
        const [view] = await readViews(readConfig(options), (clients) => [findClient(clients, name)], true)
        if (view !== undefined) await (options.json === true ? printLine(view) : print(textOf(view)))
      }),
    )
}

async function readViews(
  config: Config,
  choose: (clients: readonly Client[]) => readonly Client[],
  revoked: boolean,
): Promise<View[]> {
  const names = scopeNames(config.api.servicePathSegment)
  const clients = await withReader(config, (reader) => reader.listClients({ revoked }))
  return choose(clients).map((client) => clientView(client, names))
}

function rotateCommand(): Command {
  return withConfig(new Command('rotate'))
    .description('Give it another secret, shown this one time; the old one counts for a while beside it')
    .argument('<name>', 'its name or id')
    .option(
      '--grace <time>',
      'for how long the old one counts; 0s: no more at once, nor the tokens it got',
      grace,
      DEFAULT_GRACE,
    )
    .option('--json', 'as one JSON object')
    .action(
      action(async (name: string, { grace, ...options }: JsonOption & { readonly grace: string }) => {
        const issued = await withControl(readConfig(options), (ask) =>
          ask<Issued>('POST', `${pathOf(name)}/rotate`, { grace }),
        )
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
  return withConfig(new Command('revoke'))
    .description('Shut it out for good: its secrets and all its tokens count no more at once')
    .argument('<name>', 'its name or id')
    .option('--json', 'as one JSON object')
    .action(
      action(async (name: string, options: JsonOption) => {
        const [revoked, left] = await withControl(readConfig(options), async (ask) => {
          const revoked = await ask<View>('POST', `${pathOf(name)}/revoke`)
          const { data } = await ask<DestinationPage>('GET', '/v1/destinations?limit=1000')
          return [revoked, data.filter(({ owner }) => owner === revoked.clientId)] as const
        })
        if (options.json === true) return printLine(revoked)
        await print(`${revoked.name} is revoked\n${left.map(goesOn).join('')}`)
      }),
    )
}

/** What it is owed is the operator's to judge: nothing is canceled by a revocation. */
function goesOn({ name }: DestinationPage['data'][number]): string {
  return `its destination ${name} still gets events: portaria destinations delete ${name}\n`
}

function pathOf(name: string): string {
  return `/v1/clients/${encodeURIComponent(name)}`
}
