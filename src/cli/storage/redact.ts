import { Command } from 'commander'
import type { View } from '../../api/http/schema-parts.ts'
import type { redactionSchema } from '../../api/retention/schema.ts'
import type { Environment } from '../../domain/event.ts'
import { PortariaError } from '../../platform/errors.ts'
import { confirm } from '../confirm.ts'
import { type ApiCall, withControl } from '../control-client.ts'
import { type ConfigOption, environmentOption, readConfig, readConfigToChange, withConfig } from '../options.ts'
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
      'Remove the data of a subject permanently and cancel its pending deliveries; hashes, metadata, backups and logs stay',
    )
    .requiredOption('--subject <id>', 'the business id whose data is removed')
    .addOption(environmentOption())
    .option('--dry-run', 'only count, change nothing')
    .option('--yes', 'do not ask for confirmation')
    .option('--json', 'print one JSON object')
    .action(action(redact))
}

async function redact(options: RedactOptions): Promise<void> {
  const isDryRun = options.dryRun === true
  const config = isDryRun ? readConfig(options) : readConfigToChange(options)
  await withControl(config, (call) => redactWith(call, options), { isDryRun })
}

async function redactWith(call: ApiCall, options: RedactOptions): Promise<void> {
  const { subject, environment, dryRun, yes, json } = options
  const meant = { subject, ...(environment !== undefined && { environment }) }
  const post = (body: object) => call<Redaction>('POST', '/v1/storage/redact', { ...meant, ...body })
  if (dryRun === true || yes !== true) {
    const count = await post({ dryRun: true })
    if (dryRun === true) return json === true ? printLine(count) : print(`${wordsOf(count)} of ${nameOf(options)}\n`)
    if (!(await confirm(`This permanently removes the data of ${nameOf(options)}: ${wordsOf(count)}. Redact it?`)))
      throw new PortariaError('conflict', 'nothing was redacted')
  }
  const redacted = await post({})
  await (json === true ? printLine(redacted) : print(textOf(redacted, options)))
  // Redacted data may still be in the write-ahead log.
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
      ? 'another process reads the database (a backup?), so data may remain in its write-ahead log: run this again when that has ended\n'
      : ''
  return `redacted ${nameOf(options)}: ${wordsOf(redacted)}; ${redacted.canceled} deliveries were canceled
${log}Backups, logs and copies that others received are not touched.
`
}
