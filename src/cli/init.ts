import { existsSync, rmdirSync, rmSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { Command, Option } from 'commander'
import { writeNewFile } from '../certificates/files/written-files.ts'
import { loadConfig } from '../config/load-config.ts'
import { PRESETS } from '../config/presets.ts'
import { LANGUAGES } from '../messages/languages.ts'
import { PortariaError, systemWords } from '../platform/errors.ts'
import { makeFolder } from '../platform/folder.ts'
import { say } from '../platform/said.ts'
import { askOnTerminal, IN_CONTAINER, type InitFlags, type Site, siteOf } from './init/answers.ts'
import { nextStepsHere } from './init/next-steps.ts'
import { filesOf, foldersOf } from './init/site-files.ts'
import { languageOfEnvironment } from './language/language.ts'
import { collect, wholeNumber } from './options.ts'
import { action, print, wrongUsage } from './output.ts'
import { readBuild } from './program/build.ts'

export function initCommand(): Command {
  return new Command('init')
    .argument(
      '[dir]',
      `folder for configuration, certificates and secrets, such as /etc/portaria (default, in a container: ${IN_CONTAINER.folder})`,
    )
    .option('--host-name <dns>', 'DNS name under which the service calls this machine (default: asked on the terminal)')
    .option('--callbacks-host <address>', 'address to listen on for callbacks (default: 0.0.0.0)')
    .option('--callbacks-port <port>', 'port of the callback listener (default: 8443)', wholeNumber)
    .option(
      '--public-port <port>',
      'port that the service calls, if it is redirected to the callback port (default: the same)',
      wholeNumber,
    )
    .option('--api-port <port>', 'port of the private API, on loopback (default: 8080)', wholeNumber)
    .option('--environments <list>', 'production, sandbox or both (default: production,sandbox)')
    .option('--kinds <list>', 'names, or name=/path, or none beside --institution (default: registration,payment)')
    .option(
      '--institution <name>',
      `another institution with an account of yours: a name such as bank-a, or bank-a:PRESET (${PRESETS.join(', ')}); may be repeated`,
      collect,
    )
    .option(
      '--charge-port <port>',
      'receive charge callbacks, which come without a client certificate, on this port',
      wholeNumber,
    )
    .option(
      '--local-receiver',
      'allow destinations on this machine, such as http://localhost:3000 (default: asked on the terminal, otherwise no)',
    )
    .option('--data <folder>', `folder of the database (default: DIR/data; in a container: ${IN_CONTAINER.data})`)
    .addOption(
      new Option(
        '--lang <language>',
        'language of NEXT-STEPS.md (default: that of LC_ALL, LC_MESSAGES or LANG)',
      ).choices(LANGUAGES),
    )
    .action(action(init))
}

async function init(dir: string | undefined, flags: InitFlags): Promise<void> {
  const isContainer = readBuild().installed === 'container'
  if (dir === undefined && !isContainer) throw wrongUsage(say`name the folder to write, such as /etc/portaria`)
  const folder = resolve(dir ?? IN_CONTAINER.folder)
  refuseToOverwrite(folder)
  const answers = flags.hostName === undefined ? await askOnTerminal(flags) : flags
  const lang = answers.lang ?? languageOfEnvironment()
  const site = siteOf(folder, { ...answers, lang }, isContainer)
  makeSite(site)
  await print(nextStepsHere(site))
}

function refuseToOverwrite(folder: string): void {
  const taken = ['portaria.yaml', 'NEXT-STEPS.md', 'secrets/operator-token']
    .map((name) => join(folder, name))
    .filter((file) => existsSync(file))
  if (taken.length === 0) return
  const text = `${taken.join(', ')} ${taken.length === 1 ? 'exists' : 'exist'} already, and nothing is overwritten: name another folder, or move them away`
  throw new PortariaError('conflict', text)
}

/** All or nothing: if a file cannot be created, or the configuration is not valid, everything created so far is removed. */
function makeSite(site: Site): void {
  const undo: (() => void)[] = []
  try {
    for (const { path, mode } of foldersOf(site)) {
      if (existsSync(path)) continue
      makeFolder(dirname(path))
      makeFolder(path, mode)
      undo.push(() => rmdirSync(path))
    }
    for (const file of filesOf(site)) {
      writeNewFile(file)
      undo.push(() => rmSync(file.path))
    }
    loadConfig(join(site.folder, 'portaria.yaml'))
  } catch (error) {
    for (const step of undo.reverse()) step()
    throw explain(error, site)
  }
}

/** The file with the mistakes no longer exists, so its name is replaced. */
function explain(error: unknown, { folder }: Site): unknown {
  if (error instanceof PortariaError) {
    if (error.code !== 'configuration_invalid') return error
    const text = 'these values make no valid configuration, and nothing was written: correct them'
    return new PortariaError('request_invalid', text, { details: error.details, cause: error })
  }
  const text = `${folder} cannot be created (${systemWords(error)}): name a folder that this user may write to, or run this as root`
  return new PortariaError('request_invalid', text, { cause: error })
}
