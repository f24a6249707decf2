import { Command } from 'commander'
import type { View } from '../../api/http/schema-parts.ts'
import type { redactionSchema } from '../../api/retention/schema.ts'
import type { Environment } from '../../domain/event.ts'
import { PortariaError } from '../../platform/errors.ts'
import { confirm } from '../confirm.ts'
import { type Ask, withControl } from '../control-client.ts'
import { type ConfigOption, environmentOption, readConfig, withConfig } from '../options.ts'
import { action, EXIT, print, printable, printLine } from '../output.ts'

type Redaction = View<typeof redactionSchema>

interface RedactOptions extends ConfigOption {
  readonly subject: string
  readonly environment?: Environment
  readonly dryRun?: boolean
  readonly yes?: boolean
  readonly json?: boolean
}

export function redactCommand(): Command {
  return withConfig(new Command('redact'))
    .description(
      'Remove the data of a subject for good, and cancel what is still to be delivered of it; hashes and metadata stay. Backups and logs are not touched',
    )
    .requiredOption('--subject <id>', 'the business id whose data goes')
    .addOption(environmentOption())
    .option('--dry-run', 'only count')
    .option('--yes', 'do not ask')
    .option('--json', 'as one JSON object')
    .action(action(redact))
}

async function redact(options: RedactOptions): Promise<void> {
  const isDryRun = options.dryRun === true
  await withControl(readConfig(options), (ask) => redactWith(ask, options), { isDryRun })
}

async function redactWith(ask: Ask, options: RedactOptions): Promise<void> {
  const { subject, environment, dryRun, yes, json } = options
  const meant = { subject, ...(environment !== undefined && { environment }) }
  const post = (body: object) => ask<Redaction>('POST', '/v1/storage/redact', { ...meant, ...body })
  if (dryRun === true || yes !== true) {
    const count = await post({ dryRun: true })
    if (dryRun === true) return json === true ? printLine(count) : print(`${wordsOf(count)} of ${nameOf(options)}\n`)
    if (!(await confirm(`The data of ${nameOf(options)} goes for good: ${wordsOf(count)}. Redact it?`)))
      throw new PortariaError('conflict', 'nothing was redacted')
  }
  const redacted = await post({})
  await (json === true ? printLine(redacted) : print(textOf(redacted, options)))
  // What is left in the log can still be found.
  if (redacted.logEmptied === false) process.exitCode = EXIT.no
}

function nameOf({ subject, environment }: RedactOptions): string {
  return `${printable(subject)}${environment === undefined ? '' : ` in ${environment}`}`
}

function wordsOf({ events, quarantined }: Redaction): string {
  return `${events} events, and ${quarantined} facts that are or were in quarantine`
}

function textOf(redacted: Redaction, options: RedactOptions): string {
  const log =
    redacted.logEmptied === false
      ? 'somebody is reading in the database (a backup?), so bytes may be left in its log until it is emptied: run this again when that has ended\n'
      : ''
  return `redacted ${nameOf(options)}: ${wordsOf(redacted)}; ${redacted.canceled} deliveries were canceled\n${log}Backups, logs and what others have got are not touched.\n`
}
