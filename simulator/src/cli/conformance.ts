import { accessSync, closeSync, constants, openSync, readSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { Command, Option } from 'commander'
import { kindsOf, PRESETS } from '../conformance/facts.ts'
import { defaultLaboratory, type Laboratory } from '../conformance/laboratory.ts'
import { HTML_MARK, type JsonReport, JUNIT_MARK } from '../conformance/report/json.ts'
import type { Report, RunOptions } from '../conformance/run.ts'
import type { StoreView } from '../conformance/stored-records.ts'
import { LANGUAGES, type Language } from '../conformance/text.ts'
import { messageOf, SimulatorError } from '../errors.ts'
import { ENVIRONMENTS, type Environment } from '../interfaces.ts'
import { readAuthorities, readOption } from '../option-files.ts'
import { commandNames, errorPrefix, languageInUse, translated } from './command-names.ts'
import { inLanguage } from './help-language.ts'
import { action, print, printable, printLine } from './output.ts'
import { adviseTestCa } from './trust-advice.ts'

interface LaboratoryFlags {
  readonly laboratory?: string
  readonly json?: boolean
}

interface ConformanceFlags extends LaboratoryFlags {
  readonly charges?: readonly string[]
  readonly ca?: string
  readonly kind?: string
  readonly preset?: string
  readonly environment?: Environment
  readonly timeout: string
  readonly log?: string
  readonly poll?: string
  readonly pollToken?: string
  readonly lang?: Language
  readonly junit?: string
  readonly html?: string
}

const LABORATORY = 'folder of the test CA, made at the first use (default: $XDG_STATE_HOME/portaria/conformance)'
const LONGEST_TIMEOUT_SECONDS = 3600
const DEFAULT_PRESET = 'service'

export function conformanceCommand(): Command {
  const command = new Command('conformance')
    .argument('[url]', 'the registered address of callbacks, https://HOST:PORT/PATH')
    .description(
      "Try the service's rules on any receiver of callbacks, and report what it does wrong and how to mend it",
    )
    .addOption(
      new Option(
        '--charges <url>',
        'address of charge notifications, in place of the URL; twice for https and http',
      ).argParser((value: string, before: readonly string[] = []) => [...before, value]),
    )
    .option('--ca <file>', "authorities of the receiver's server certificate, PEM (default: the public ones)")
    .option('--kind <kind>', 'kind of the callbacks (default: payment)')
    .addOption(new Option('--preset <preset>', 'institution whose callbacks and answers count').choices(PRESETS))
    .addOption(
      new Option(
        '--environment <environment>',
        'environment of the receiver, which then must refuse the other one (default: production, without that)',
      ).choices(ENVIRONMENTS),
    )
    .option('--timeout <seconds>', 'time limit of each request', '60')
    .option('--log <file>', 'file to which the receiver appends what it stores')
    .option(
      '--poll <url>',
      'address that lists what the receiver stored, such as http://127.0.0.1:8080/v1/events?after=latest',
    )
    .option('--poll-token <file>', 'file with the bearer token for --poll')
    .option('--laboratory <folder>', LABORATORY)
    .addOption(
      new Option(
        '--lang <language>',
        'language of the report (default: that of the command line; with --json en)',
      ).choices(LANGUAGES),
    )
    .option('--json', 'print one JSON object')
    .option('--junit <file>', 'write a JUnit report, too')
    .option('--html <file>', 'write a page, too')
    .enablePositionalOptions()
    .action(action(run))
    .addCommand(chainCommand())
  return inLanguage(command)
}

function chainCommand(): Command {
  return new Command('chain')
    .description('Write the chains of the test CA, to install them in a receiver: the same ones each time')
    .requiredOption('--folder <folder>', 'folder for the chains')
    .option('--laboratory <folder>', LABORATORY)
    .option('--json', 'print the files as one JSON object')
    .action(action(writeChain))
}

async function writeChain(flags: LaboratoryFlags & { readonly folder: string }): Promise<void> {
  const { writeChains } = await import('../conformance/chain-files.ts')
  const files = await writeChains(await open(flags), flags.folder)
  if (flags.json === true) return printLine(files)
  const lines = [...ENVIRONMENTS]
    .reverse()
    .map(
      (name) =>
        `${translated(`${name}: install ${printable(files[name].chain)}, and pin ${printable(files[name].issuer)}`)}\n`,
    )
  await print(lines.join(''))
}

async function run(url: string | undefined, flags: ConformanceFlags): Promise<void> {
  const target = targetOf(url, flags)
  const timeoutMs = timeoutOf(flags.timeout)
  const kind = target.isCharges ? 'charge' : kindOf(flags)
  const authorities = flags.ca === undefined ? null : readAuthorities('--ca', flags.ca)
  requireReportFile('--junit', flags.junit, JUNIT_MARK)
  requireReportFile('--html', flags.html, HTML_MARK)
  const laboratory = await open(flags)
  const view = await viewOf(flags, authorities, timeoutMs)
  const options: RunOptions = {
    ...target,
    preset: flags.preset ?? null,
    kind,
    environment: flags.environment ?? null,
    laboratory,
    authorities,
    view,
    timeoutMs,
    ...(process.stderr.isTTY && {
      onJudged: ({ id }, { verdict }, left) => announce(translated(`${verdict} ${id}, ${left} left`)),
    }),
  }
  try {
    const { runConformance } = await import('../conformance/run.ts')
    const { jsonOf } = await import('../conformance/report/json.ts')
    const report = await runConformance(options)
    await publish(jsonOf(report, languageOf(flags)), flags)
    if (!target.isCharges && isOnlyUntrusting(report)) adviseTestCa()
    process.exitCode = report.ok ? 0 : 1
  } finally {
    await view?.close()
  }
}

/** Whether the receiver answers, but not the callback that the right caller sends. */
function isOnlyUntrusting({ results }: Report): boolean {
  const isRefused = results.some(({ scenario, verdict }) => scenario.id === 'notification' && verdict === 'fail')
  return isRefused && results.some(({ verdict }) => verdict === 'pass')
}

/** JSON is for programs: it is the same wherever they run. */
function languageOf({ lang, json }: ConformanceFlags): Language {
  return lang ?? (json === true ? 'en' : languageInUse())
}

async function publish(report: JsonReport, flags: ConformanceFlags): Promise<void> {
  const { json, junit, html } = flags
  const lang = languageOf(flags)
  if (junit !== undefined) writeFileSync(junit, (await import('../conformance/report/junit.ts')).junitOf(report))
  if (html !== undefined) writeFileSync(html, (await import('../conformance/report/html.ts')).htmlOf(report, lang))
  if (json === true) return printLine(report)
  const { wordsOf } = await import('../conformance/report/words.ts')
  await print(wordsOf(report, lang).split('\n').map(printable).join('\n'))
}

function announce(words: string): void {
  process.stderr.write(`${words}\n`)
}

/** @throws SimulatorError */
async function open({ laboratory: folder }: LaboratoryFlags): Promise<Laboratory> {
  const { openLaboratory } = await import('../conformance/laboratory.ts')
  const laboratory = await openLaboratory(folder ?? defaultLaboratory(), new Date())
  if (laboratory.renewed === 'chains')
    announce(
      `${errorPrefix()}${translated(`the certificates of the test CA ${laboratory.folder} had ended, and are new: install the chains again ("${commandNames.program} conformance chain")`)}`,
    )
  if (laboratory.renewed === 'client certificates')
    announce(
      `${errorPrefix()}${translated(`client certificates of the test CA ${laboratory.folder} had ended, and are new; the chains are the same`)}`,
    )
  return laboratory
}

type Target = Pick<RunOptions, 'url' | 'alsoUrl'> & { readonly isCharges: boolean }

/** @throws SimulatorError `request_invalid` */
function targetOf(text: string | undefined, { charges = [], kind, preset }: ConformanceFlags): Target {
  if (charges.length === 0) {
    if (text === undefined)
      throw wrong('no address is given: name the one that callbacks go to, https://HOST:PORT/PATH')
    return { url: addressOf(text, ['https:']), isCharges: false }
  }
  if (text !== undefined) throw wrong('--charges is in place of the URL: leave one of them out')
  if (kind !== undefined || preset !== undefined)
    throw wrong('--charges has no other kinds: leave --kind and --preset out')
  const [url, alsoUrl, ...more] = charges.map((one) => addressOf(one, ['https:', 'http:']))
  if (more.length > 0 || url?.protocol === alsoUrl?.protocol)
    throw wrong('--charges is given at most twice: once with https and once with http')
  return { url: url as URL, isCharges: true, ...(alsoUrl !== undefined && { alsoUrl }) }
}

/** @throws SimulatorError `request_invalid` */
function addressOf(text: string, protocols: readonly string[]): URL {
  const url = URL.parse(text)
  if (url === null) throw wrong(`"${text}" is not a URL: give https://HOST:PORT/PATH`)
  if (!protocols.includes(url.protocol))
    throw wrong(
      `the URL begins with ${url.protocol} and the service calls ${protocols.join(' and ')} only: give https://HOST:PORT/PATH`,
    )
  if (url.username !== '' || url.password !== '')
    throw wrong('the URL holds a user name or password, and the service sends none: leave it out')
  url.hash = ''
  return url
}

/** Seconds, as milliseconds. @throws SimulatorError `request_invalid` */
function timeoutOf(text: string): number {
  const seconds = /^\d+(\.\d+)?s?$/.test(text) ? Number.parseFloat(text) : 0
  if (seconds < 0.1 || seconds > LONGEST_TIMEOUT_SECONDS)
    throw wrong(`--timeout "${text}" is not a time: give seconds, at most ${LONGEST_TIMEOUT_SECONDS}`)
  return Math.round(seconds * 1000)
}

/** @throws SimulatorError `request_invalid` */
function kindOf({ preset = DEFAULT_PRESET, kind = 'payment' }: ConformanceFlags): string {
  const kinds = kindsOf(preset)
  if (!kinds.includes(kind)) throw wrong(`--kind "${kind}" is none of the preset ${preset}: give ${kinds.join(', ')}`)
  return kind
}

async function viewOf(
  flags: ConformanceFlags,
  authorities: string | null,
  timeoutMs: number,
): Promise<StoreView | null> {
  const { log, poll, pollToken } = flags
  if (log !== undefined && poll !== undefined) throw wrong('--log and --poll exclude each other: leave one of them out')
  if (pollToken !== undefined && poll === undefined) throw wrong('--poll-token is for --poll: give the address, too')
  if (log === undefined && poll === undefined) return null
  const { viewOfLog, viewOfPoll } = await import('../conformance/stored-records.ts')
  if (log !== undefined) return viewOfLog(log)
  const url = URL.parse(poll ?? '')
  if (url === null || !/^https?:$/.test(url.protocol))
    throw wrong(`--poll "${poll}" is not a URL: give http://HOST:PORT/PATH or https:`)
  const token = pollToken === undefined ? null : readOption('--poll-token', pollToken).trim()
  return viewOfPoll({ url, token, authorities, timeoutMs })
}

/**
 * Before a run of a minute, whose report would be lost. An earlier report is replaced, and no other file is.
 * @throws SimulatorError `request_invalid`
 */
function requireReportFile(option: string, file: string | undefined, mark: string): void {
  if (file === undefined) return
  let isReport = true
  try {
    const kind = statSync(file, { throwIfNoEntry: false })
    accessSync(kind === undefined ? dirname(file) : file, constants.W_OK)
    if (kind?.isDirectory() === true) throw new Error('it is a folder')
    if (kind?.isFile() === true && kind.size > 0) isReport = beginOf(file).includes(mark)
  } catch (error) {
    throw wrong(`${option} ${file} cannot be written: ${messageOf(error)}`)
  }
  if (!isReport) throw wrong(`${option} ${file} exists and is no report of this command: name another file`)
}

function beginOf(file: string): string {
  const begin = Buffer.alloc(1000)
  const opened = openSync(file, 'r')
  const { length } = begin.subarray(0, readSync(opened, begin))
  closeSync(opened)
  return begin.toString('utf8', 0, length)
}

function wrong(message: string): SimulatorError {
  return new SimulatorError('request_invalid', message)
}
