import { resolve } from 'node:path'
import { Command } from 'commander'
import { readStorageUrl } from '../../config/storage-schema.ts'
import { type DatabaseAddress, nameOfDatabase } from '../../platform/postgres/postgres-address.ts'
import { say } from '../../platform/said.ts'
import type { Move } from '../../store/moving/move.ts'
import { moveStore } from '../../store/open-store.ts'
import { readConfig } from '../config-file.ts'
import { type ConfigOption, withConfig } from '../options.ts'
import { action, EXIT, printResult, wrongUsage } from '../output.ts'
import { progressUnless } from '../progress.ts'
import { chainWords } from './verify-chain.ts'

interface MoveOptions extends ConfigOption {
  readonly to: string
  readonly passwordFile?: string
  readonly authorities?: string
}

export function moveCommand(): Command {
  return withConfig(new Command('move'))
    .description(
      'Copy the whole database to another one, such as from SQLite to PostgreSQL, while no gateway uses either',
    )
    .requiredOption('--to <url>', 'the new database, as in storage.url; empty, or of a move that was broken off')
    .option('--password-file <file>', 'file with the password of the new database')
    .option('--authorities <file>', "PEM file with the authorities of the new server's certificate")
    .option('--json', 'print one JSON object')
    .action(action(move))
}

async function move(options: MoveOptions): Promise<void> {
  const { database } = readConfig(options).storage
  const to = targetOf(options)
  if (nameOfDatabase(to) === nameOfDatabase(database))
    throw wrongUsage(say`--to names the database of the configuration`)
  const show = progressUnless(options.json === true)
  const moved = await moveStore(database, to, ({ done, of, words }) =>
    show({ share: done / of, words, isEnded: false }),
  )
  show({ share: 1, words: 'every row is there, and the audit chain was checked', isEnded: true })
  await printResult(options, moved, wordsFor(moved, to))
  if (moved.chain.problems.length > 0) process.exitCode = EXIT.no
}

function targetOf({ to, passwordFile, authorities }: MoveOptions): DatabaseAddress {
  const read = readStorageUrl(to, process.cwd())
  if ('problem' in read) throw wrongUsage(say`--to ${{ words: read.problem }}`)
  if ('file' in read.value) return read.value
  const pathOf = (file: string | undefined) => (file === undefined ? null : resolve(file))
  return { ...read.value, passwordFile: pathOf(passwordFile), authorities: pathOf(authorities) }
}

function wordsFor({ from, to, counts, chain }: Move, address: DatabaseAddress): string {
  const { events = 0, callbacks = 0, deliveries = 0 } = counts
  return `copied ${from} to ${to}: ${events} events of ${callbacks} callbacks, ${deliveries} deliveries
${chainWords(chain)}Write this into the configuration, then start the gateway:
${configurationOf(address)}${from} was not changed. A gateway that is started with it again would go on beside the copy: keep it until the first backup of the copy, then remove it.
`
}

function configurationOf(address: DatabaseAddress): string {
  const lines = 'file' in address ? [`url: sqlite:${address.file}`] : [`url: ${address.url}`, ...filesOf(address)]
  return ['storage:', ...lines.map((line) => `  ${line}`), ''].join('\n')
}

function filesOf({
  passwordFile,
  authorities,
}: {
  passwordFile?: string | null
  authorities?: string | null
}): string[] {
  const files = { passwordFile, authorities }
  return Object.entries(files).flatMap(([name, file]) =>
    file === null || file === undefined ? [] : `${name}: ${file}`,
  )
}
