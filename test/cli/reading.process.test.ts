import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { COMMAND } from '../../src/platform/installation.ts'
import { openStore } from '../../src/store/open-store.ts'
import { createSite, type TestSite } from '../support/gateway.ts'
import { everyCommand, nameOf } from './every-command.ts'
import { inShell, portaria } from './program.ts'

/** Every command that only reads, with arguments; none may create anything. A dry run is listed with its option. */
const READING: readonly (readonly string[])[] = [
  ['certs', 'show'],
  ['certs', 'check'],
  ['certs', 'trust', 'list'],
  ['certs', 'trust', 'diff', 'production', '--environment', 'production'],
  ['certs', 'authority', 'show'],
  ['certs', 'authority', 'list'],
  ['certs', 'sign', '/dev/null', '--dry-run'],
  ['check'],
  ['config', 'check'],
  ['clients', 'list'],
  ['clients', 'show', 'shop'],
  ['consumers', 'list'],
  ['consumers', 'show', 'books'],
  ['deliveries', 'list'],
  ['deliveries', 'show', 'dlv_1'],
  ['destinations', 'list'],
  ['destinations', 'show', 'books'],
  ['destinations', 'show', 'books', '--secret'],
  ['destinations', 'stats'],
  ['destinations', 'stats', 'books'],
  ['events', 'list'],
  ['events', 'find', 'joao'],
  ['events', 'show', 'evt_1'],
  ['events', 'tail'],
  ['alarms', 'list'],
  ['quarantine', 'list'],
  ['quarantine', 'show', 'qtn_1'],
  ['refusals', 'list'],
  ['refusals', 'show', 'rfs_1'],
  ['refusals', 'tail'],
  ['nodes', 'list'],
  ['replays', 'create', '--destination', 'books', '--dry-run'],
  ['replays', 'list'],
  ['replays', 'show', 'rpl_1'],
  ['service', 'status'],
  ['service', 'gaps'],
  ['service', 'webhooks', 'list', '--environment', 'sandbox', '--interface', 'payment'],
  ['service', 'open-banking', 'show', '--environment', 'sandbox'],
  ['audit', 'list'],
  ['storage', 'backup', 'backup.db'],
  ['storage', 'export'],
  ['storage', 'prune', '--dry-run'],
  ['storage', 'redact', '--subject', '42', '--dry-run'],
  ['storage', 'stats'],
  ['storage', 'verify'],
  ['version'],
  ['completion', 'bash'],
  ['man'],
  ['log', '--file', '/dev/null'],
]

/** These need no database. */
const NEEDS_NO_DATABASE = /^(certs|check|completion|config|log|man|service (?!gaps)|version)/

/** The others, so that a new command is put into one of the two lists. */
const CHANGING = [
  ...['serve', 'reload', 'init', 'demo', 'probe', 'simulator', 'simulator ctl', 'simulator play'],
  ...['conformance', 'conformance chain', 'playground', 'trigger', 'listen', 'login', 'logout'],
  ...['certs csr', 'certs import', 'certs export'],
  ...['certs authority create', 'certs authority crl', 'certs issue', 'certs revoke'],
  ...['certs trust stage', 'certs trust fetch', 'certs trust activate', 'certs trust retire'],
  ...[
    'clients create',
    'clients certificate',
    'clients rotate',
    'clients revoke',
    'consumers seek',
    'consumers delete',
  ],
  ...['deliveries retry', 'deliveries skip', 'events replay', 'replays delete'],
  ...['destinations create', 'destinations update', 'destinations rotate-secret', 'destinations test'],
  ...['destinations pause', 'destinations resume', 'destinations delete'],
  ...['quarantine release', 'quarantine discard', 'alarms test', 'alarms mute', 'alarms unmute'],
  ...['service webhooks create', 'service webhooks delete', 'service open-banking set'],
  ...['service charges set-notification-url', 'service subscriptions set-metadata'],
  ...['service reconcile', 'service expect'],
  ...['storage restore', 'storage confirm-loss', 'storage confirm-clock', 'storage reindex', 'storage move'],
]

function filesOf({ folder }: TestSite): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()
}

it('every command is known here as one that reads or one that changes something', async () => {
  const names = (await everyCommand()).map(nameOf)
  const isReading = (name: string) => READING.some((args) => `${args.join(' ')} `.startsWith(`${name} `))
  expect(names.filter((name) => !isReading(name)).toSorted()).toEqual(CHANGING.toSorted())
})

it('a command that reads creates nothing where no database is, and says that there is none', async () => {
  const site = await createSite()
  const before = filesOf(site)
  const database = join(site.folder, 'data/portaria.db')
  const missing = `portaria: there is no database at ${database} yet: start the gateway once (${COMMAND} serve), or check storage.url\n`
  for (const args of READING) {
    const { code, stdout, stderr } = await portaria(site, ...args)
    const name = args.join(' ')
    expect(filesOf(site), name).toEqual(before)
    if (!NEEDS_NO_DATABASE.test(name)) expect([code, stdout, stderr], name).toEqual([1, '', missing])
  }
})

it('a command runs in a folder that was removed', async () => {
  const site = await createSite()
  const file = join(site.folder, 'data/portaria.db')
  await (await openStore({ file, deduplicationWindowMs: 1000, queue: { events: 1, bytes: 1 } })).close()
  const gone = join(site.folder, 'gone')
  const { code, stderr } = await inShell(
    site,
    `mkdir "${gone}" && cd "${gone}" && rmdir "${gone}" && portaria events list`,
  )
  expect([code, stderr.replace(/^.*getcwd.*\n/gm, '')]).toEqual([0, expect.not.stringContaining('error')])
})
