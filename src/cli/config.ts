import { basename } from 'node:path'
import { Command } from 'commander'
import { findMistakes } from '../config/load-config.ts'
import { adviceForMissing, isWithoutService } from '../config/place.ts'
import { type NamedFile, secretFilesOf } from './check/configured-files.ts'
import { mistakesOfFiles } from './check/file-mistakes.ts'
import { chooseConfig } from './config-file.ts'
import { type ConfigOption, group, withConfig } from './options.ts'
import { action, EXIT, printable, printResult } from './output.ts'

export function configCommand(): Command {
  return group('config', [checkCommand()])
}

function checkCommand(): Command {
  return withConfig(new Command('check'))
    .description(
      'Read the configuration file and the files that it names, as the start does, and list every mistake; opens no database and no connection',
    )
    .option('--json', 'print one JSON object')
    .addHelpText('after', '\nExit code: 0 the file is right, 1 it has mistakes, 2 wrong usage.')
    .action(action(check))
}

/** The result, as `--json` prints it. */
export interface ConfigVerdict {
  readonly file: string
  readonly ok: boolean
  readonly mistakes: readonly string[]
  /** Credentials, which exist only while the service runs. */
  readonly notChecked: readonly string[]
}

async function check(options: ConfigOption): Promise<void> {
  const verdict = verdictOf(chooseConfig(options))
  await printResult(options, verdict, textOf(verdict))
  process.exitCode = verdict.ok ? EXIT.good : EXIT.no
}

/** What keeps the gateway from starting, or a part of it from working, as far as the file and the files that it names show it. */
export function verdictOf(file: string): ConfigVerdict {
  const { config, mistakes: own } = findMistakes(file)
  if (config === null) return { file, ok: false, mistakes: own, notChecked: [] }
  const mistakes = [...own, ...mistakesOfFiles(config)]
  const credentials = secretFilesOf(config).filter((secret) => isWithoutService(secret.file))
  return { file, ok: mistakes.length === 0, mistakes, notChecked: credentials.map(notCheckedText) }
}

function notCheckedText({ name, file }: NamedFile): string {
  return `${name}: credential ${basename(file)}: ${adviceForMissing(file)}`
}

function textOf({ file, ok, mistakes, notChecked }: ConfigVerdict): string {
  const notes = notChecked.map((text) => `  ! not checked: ${printable(text)}\n`).join('')
  if (ok) return `✓ ${file} is right\n${notes}`
  const count = mistakes.length === 1 ? 'one mistake' : `${mistakes.length} mistakes`
  const lines = mistakes.map((mistake) => `  ✗ ${printable(mistake)}\n`).join('')
  return `✗ ${file} has ${count}; config/portaria.yaml explains every key\n${lines}${notes}`
}
