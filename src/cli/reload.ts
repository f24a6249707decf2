import { Command } from 'commander'
import type { reloadedSchema } from '../api/gateway/schema.ts'
import type { View } from '../api/http/schema-parts.ts'
import type { Config } from '../config/config.ts'
import { problemText } from '../domain/unused-files.ts'
import { PortariaError } from '../platform/errors.ts'
import { nameOfDatabase } from '../platform/postgres/postgres-address.ts'
import { readConfig } from './config-file.ts'
import { askGateway } from './control-client.ts'
import { type ConfigOption, withConfig } from './options.ts'
import { action, EXIT, printable, printResult } from './output.ts'

type Reloaded = View<typeof reloadedSchema>

export function reloadCommand(): Command {
  return withConfig(new Command('reload'))
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      '\nExit code: 0 the file is in use, 1 it is not and nothing was changed, 2 wrong usage or a mistake in the file, 3 everything is in use except what is named.',
    )
    .action(action(reload))
}

async function reload(options: ConfigOption): Promise<void> {
  const config = readConfig(options)
  const { file: own, sha256 } = config
  const target = `/v1/gateway/configuration/reload?${new URLSearchParams({ file: own, sha256 })}`
  const reloaded = await askGateway<Reloaded>(config, 'POST', target).catch(explain)
  if (reloaded === null) throw notRunning(config)
  const { file, renewed, problems, needRestart } = reloaded
  const lines = [`the gateway uses ${file}`, ...renewed.map((what) => `  renewed: ${what}`)]
  lines.push(...problems.map((one) => `  not taken up: ${problemText(one)}`))
  if (needRestart.length > 0) lines.push(`  needs a restart: ${needRestart.join(', ')}`)
  await printResult(options, reloaded, lines.map((line) => `${printable(line)}\n`).join(''))
  if (problems.length > 0) process.exitCode = EXIT.partly
}

function notRunning({ storage }: Config): PortariaError {
  const isFile = 'file' in storage.database
  return new PortariaError(
    'conflict',
    `no gateway runs with the database ${nameOfDatabase(storage.database)}: start it. A changed ${isFile ? 'storage.url' : 'storage.url or node.folder'} needs a restart`,
  )
}

function explain(error: unknown): never {
  if (!(error instanceof PortariaError) || error.code !== 'not_found') throw error
  const text = 'the running gateway is older than this command: restart it, or send it SIGHUP and read its log'
  throw new PortariaError('conflict', text, { cause: error })
}
