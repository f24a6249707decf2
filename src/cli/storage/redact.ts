import { Command } from 'commander'
import type { AnswerOf } from '../../api/http/contract.ts'
import { REMOVALS } from '../../api/retention/contract.ts'
import type { RealmFilter } from '../../domain/realm.ts'
import { PortariaError } from '../../platform/errors.ts'
import { given } from '../../platform/given.ts'
import { say } from '../../platform/said.ts'
import type { Asker } from '../asking.ts'
import { withChanger, withLiveCaller } from '../caller.ts'
import { readConfig } from '../config-file.ts'
import { confirm } from '../confirm.ts'
import { checkNames } from '../events/filter.ts'
import { type ChangeOption, withRealm, withReason } from '../options.ts'
import { action, EXIT, printable, printResult } from '../output.ts'
import { withReader } from '../reader.ts'
import { chosenRemote } from '../remote/chosen.ts'

type Redaction = AnswerOf<typeof REMOVALS.redact>

interface RedactOptions extends ChangeOption, RealmFilter {
  readonly subject: string
  readonly dryRun?: boolean
  readonly yes?: boolean
}

export function redactCommand(): Command {
  const command = withReason(new Command('redact'))
    .description(
      'Remove the data of a subject permanently and cancel its pending deliveries; hashes, metadata, backups and logs stay',
    )
    .requiredOption('--subject <id>', 'the business id whose data is removed')
  return withRealm(command)
    .option('--dry-run', 'only count, change nothing')
    .option('--yes', 'do not ask for confirmation')
    .option('--json', 'print one JSON object')
    .action(action(redact))
}

async function redact(options: RedactOptions): Promise<void> {
  if (chosenRemote() === null && options.institution !== undefined) {
    const config = readConfig(options)
    await withReader(config, (reader) => checkNames(options, config, reader))
  }
  if (options.dryRun === true) return printCount(options)
  await withChanger(options, (changer) => redactWith(changer, options))
}

async function printCount(options: RedactOptions): Promise<void> {
  const body = { ...meantBy(options), dryRun: true }
  const count = await withLiveCaller(options, ({ ask }) => ask(REMOVALS.redact, { body }))
  await printResult(options, count, `${nameOf(options)}: ${wordsOf(count)}\n`)
}

function meantBy({ subject, institution, environment }: RedactOptions): object {
  return given({ subject, institution, environment })
}

async function redactWith({ ask }: Asker, options: RedactOptions): Promise<void> {
  const post = (body: object) => ask(REMOVALS.redact, { body: { ...meantBy(options), ...body } })
  if (options.yes !== true) {
    const count = await post({ dryRun: true })
    if (!(await confirm(`This permanently removes the data of ${nameOf(options)}: ${wordsOf(count)}. Redact it?`)))
      throw new PortariaError('conflict', say`nothing was redacted`)
  }
  const redacted = await post({})
  await printResult(options, redacted, textOf(redacted, options))
  // Redacted data may still be in the write-ahead log.
  if (redacted.logEmptied === false) process.exitCode = EXIT.no
}

function nameOf({ subject, institution, environment }: RedactOptions): string {
  const of = institution === undefined ? '' : ` of ${institution}`
  return `${printable(subject)}${of}${environment === undefined ? '' : ` in ${environment}`}`
}

function wordsOf({ events, quarantined }: Redaction): string {
  return `events: ${events}, facts that are or were in quarantine: ${quarantined}`
}

function textOf(redacted: Redaction, options: RedactOptions): string {
  const log =
    redacted.logEmptied === false
      ? 'another process reads the database (a backup?), so data may remain in its write-ahead log: run this again when that has ended\n'
      : ''
  return `redacted ${nameOf(options)}: ${wordsOf(redacted)}; deliveries canceled: ${redacted.canceled}
${log}Backups, logs and copies that others received are not touched.
`
}
