import { accessSync, constants, existsSync } from 'node:fs'
import { basename } from 'node:path'
import { Command } from 'commander'
import { operatorToken } from '../api/auth/operator-token.ts'
import { problemsOf, readCertificates } from '../certificates/files/pem.ts'
import type { Config } from '../config/config.ts'
import { findMistakes } from '../config/load-config.ts'
import { adviceForMissing, isMissingCredential, isWithoutService } from '../config/place.ts'
import { reasonOf } from '../config/secret-files.ts'
import { messageOf } from '../platform/errors.ts'
import { keyFilesOf, type NamedFile, secretFilesOf, trustedFilesOf } from './check/configured-files.ts'
import { type ConfigOption, chooseConfig, group, withConfig } from './options.ts'
import { action, EXIT, printable, printResult } from './output.ts'

export function configCommand(): Command {
  return group('config', [checkCommand()])
}

function checkCommand(): Command {
  return withConfig(new Command('check'))
    .description(
      'Read the configuration file and the secrets that it names, and list every mistake; opens no database and no connection',
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

/** What keeps the gateway from starting with this file, as far as the file and the files that it names show it. */
export function verdictOf(file: string): ConfigVerdict {
  const { config, mistakes: own } = findMistakes(file)
  if (config === null) return { file, ok: false, mistakes: own, notChecked: [] }
  const mayBeMissing = config.mode === 'development'
  const named = [...keyFilesOf(config), ...trustedFilesOf(config)].flatMap((one) => mistakesOfFile(one, mayBeMissing))
  const mistakes = [...own, ...named, ...operatorTokenMistakes(config)]
  const credentials = secretFilesOf(config).filter((secret) => isWithoutService(secret.file))
  return { file, ok: mistakes.length === 0, mistakes, notChecked: credentials.map(notCheckedText) }
}

/** Development creates missing certificates, chains and the operator token at start. */
function mistakesOfFile({ name, file }: NamedFile, mayBeMissing: boolean): string[] {
  // Reading the configuration has looked at credentials.
  if (isMissingCredential(file) || (mayBeMissing && !existsSync(file))) return []
  try {
    accessSync(file, constants.R_OK)
  } catch (error) {
    return [`${name}: ${file} cannot be read: ${reasonOf(error, file)}`]
  }
  // Keys and revocation lists have other blocks.
  return /^(?:chain of|.*\.(?:certificate|clientCa)$)/.test(name) ? mistakesOfCertificates(name, file) : []
}

function mistakesOfCertificates(name: string, file: string): string[] {
  try {
    readCertificates(file, name)
    return []
  } catch (error) {
    return problemsOf(error).map((problem) => `${name}: ${problem}`)
  }
}

function operatorTokenMistakes({ api, mode }: Config): string[] {
  const { operatorTokenFile: file } = api
  if (file === null || isMissingCredential(file) || (mode === 'development' && !existsSync(file))) return []
  try {
    operatorToken(file, false)
    return []
  } catch (error) {
    return [messageOf(error)]
  }
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
