import { Command } from 'commander'
import { type CertificateView, certificateView } from '../../api/certificates/view.ts'
import type { Config } from '../../config/config.ts'
import { listInventory } from '../../gateway/inventory.ts'
import { readConfig } from '../config-file.ts'
import { askGateway, withRemote } from '../control-client.ts'
import { translated } from '../language/language.ts'
import { type Column, screenWidth, tableOf } from '../listing/table.ts'
import { type ListOptions, wholeNumber, withListing } from '../options.ts'
import { action, EXIT, print, printable, printLine } from '../output.ts'
import { readIfThere } from '../reader.ts'
import { chosenRemote, remotely } from '../remote/chosen.ts'

interface CheckOptions extends ListOptions {
  readonly days?: number
}

const HEADER: readonly (string | Column)[] = [
  { name: 'set', leftOut: 3 },
  { name: 'where', cut: 'left' },
  { name: 'subject', cut: 'left' },
  { name: 'issuer', cut: 'left', leftOut: 1 },
  'expires',
  { name: 'days left', leftOut: 2 },
  'state',
]
/** Page size. The list is sorted by expiry, so certificates beyond it expire later. */
const ASKED = 1000

export function checkCommand(): Command {
  return withListing(remotely(new Command('check')), 100)
    .description(
      'List when certificates expire: our own, those of the service and of destinations; exit code 1 if one expires soon or loses its usage',
    )
    .option(
      '--days <n>',
      'a certificate expires soon if fewer days are left (default: by its lifetime, 30 days at most)',
      wholeNumber,
    )
    .action(action(check))
}

async function check(options: CheckOptions): Promise<void> {
  const certificates = await certificatesOf(options)
  const shown = certificates.slice(0, options.limit)
  if (options.json === true) for (const certificate of shown) await printLine(certificate)
  else await print(tableOf(HEADER, shown.map(rowOf)) + problemsOf(shown))
  if (certificates.some(isTrouble)) process.exitCode = EXIT.no
}

/** From the running gateway, which knows what it uses; without one, from the files and the database. */
async function certificatesOf(options: CheckOptions): Promise<readonly CertificateView[]> {
  const { days } = options
  const path = `/v1/certificates?limit=${ASKED}${days === undefined ? '' : `&days=${days}`}`
  if (chosenRemote() !== null) return withRemote(async (call) => (await call<Answer>('GET', path)).data)
  const config = readConfig(options)
  return (await askGateway<Answer>(config, 'GET', path))?.data ?? readCertificates(config, days ?? null)
}

interface Answer {
  readonly data: readonly CertificateView[]
}

async function readCertificates(config: Config, days: number | null): Promise<CertificateView[]> {
  const now = Date.now()
  const inventory = await readIfThere(config, (store) => listInventory(config, { store, inUse: null, now }))
  return inventory.map((one) => certificateView(one, now, days))
}

function isTrouble({ state, clientUseProblem }: CertificateView): boolean {
  return state === 'expiring' || state === 'expired' || state === 'unreadable' || clientUseProblem !== null
}

function problemsOf(shown: readonly CertificateView[]): string {
  // The table of a terminal may have shortened the problem of a file.
  const isCut = screenWidth() !== null
  const problems = shown.flatMap(({ set, where, clientUseProblem, problem }) =>
    [clientUseProblem, isCut ? problem : null]
      .filter((one) => one !== null)
      .map((one) => `\n${printable(`${set}, ${where}: ${translated(one)}`)}\n`),
  )
  return problems.join('')
}

function rowOf({ set, where, subject, issuer, notAfter, daysLeft, state, problem }: CertificateView) {
  return [
    set,
    where,
    problem === null ? subject : translated(problem),
    issuer,
    notAfter?.slice(0, 10) ?? null,
    daysLeft,
    state,
  ]
}
