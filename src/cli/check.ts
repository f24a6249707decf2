/**
 * `check` joins rooms only to look: it reads the database on a connection of its own, runs SQLite's check in a process
 * that can be killed, and connects to destinations through the delivery guard with `HEAD /`, never with an event. It
 * asks the service for access tokens and for nothing else, and an OpenID provider for its metadata. A test CA with fresh keys issues the untrusted caller of each `--url` run.
 */

import { X509Certificate } from 'node:crypto'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Command } from 'commander'
import type { Config } from '../config/config.ts'
import { say } from '../platform/said.ts'
import { PROBE_BODY } from '../probe/two-request-probe.ts'
import { readAuthorities, readCaller } from './caller-files.ts'
import { checkAlarms } from './check/alarms.ts'
import { checkAuthority, checkCertificates } from './check/certificates.ts'
import { checkClock } from './check/clock.ts'
import { checkAccounts, checkConfiguration } from './check/configuration.ts'
import type { CheckContext } from './check/context.ts'
import { checkDestinations } from './check/destinations.ts'
import { checkFiles } from './check/files.ts'
import { type Finding, markAccepted, preventsStart } from './check/finding.ts'
import { findingsTable, isOpen, summaryOf } from './check/findings-text.ts'
import { checkListeners } from './check/listeners.ts'
import { checkNodes } from './check/nodes.ts'
import { checkOidc } from './check/oidc.ts'
import { checkOutages } from './check/outages.ts'
import { checkOutside, type OutsideOptions } from './check/outside.ts'
import { checkOverview, withReasons } from './check/overview.ts'
import { checkRefusedCallbacks } from './check/refused-callbacks.ts'
import { checkRuntime } from './check/runtime.ts'
import { checkService, checkWaitingTokens } from './check/service.ts'
import { checkStorage } from './check/storage.ts'
import { checkRefusedUsage, checkTrust } from './check/trust.ts'
import { institutionOfUrl } from './check/url-institution.ts'
import { checkUsedConfiguration } from './check/used-configuration.ts'
import { chooseConfig } from './config-file.ts'
import { withRemote } from './control-client.ts'
import { severityPrefix } from './log/journal.ts'
import { type ConfigOption, institutionOption, wholeNumber, withConfig } from './options.ts'
import { action, EXIT, print, printLine, wrongUsage } from './output.ts'
import { parseTarget, parseTimeout } from './probe.ts'
import { chosenRemote, remotely } from './remote/chosen.ts'

/** How to call the gateway from outside. */
export interface OutsideFlags {
  readonly url?: string
  readonly cert?: string
  readonly key?: string
  readonly ca?: string
  /** Seconds. */
  readonly timeout: string
}

export interface CheckFlags extends ConfigOption, OutsideFlags {
  readonly institution?: string
  readonly days?: number
  /** Seconds. */
  readonly integrityLimit: number
  /** Makes no connection to other machines. */
  readonly offline?: boolean
  readonly quiet?: boolean
}

export function checkCommand(): Command {
  return withConfig(remotely(new Command('check')))
    .option('--url <url>', 'also check from outside: the URL that is registered at the service, https://HOST/PATH')
    .addOption(institutionOption('default: by its path', 'with --url: whose URL it is, '))
    .option(
      '--cert <file>',
      'with --url: client certificate to call with, PEM, full chain (default in development: that of the test CA)',
    )
    .option('--key <file>', 'with --url: private key of the client certificate, PEM')
    .option('--ca <file>', 'CA certificates that callers trust, PEM (default: the public ones)')
    .option(
      '--days <n>',
      'warn of certificates that expire within this number of days (default: by its lifetime, 30 days at most)',
      wholeNumber,
    )
    .option('--timeout <seconds>', 'with --url: time limit of each request', '10')
    .option('--integrity-limit <seconds>', 'time limit for checking the database', wholeNumber, 60)
    .option('--offline', 'make no connection to the service and to destinations: whether they answer is left out')
    .option('--quiet', 'print warnings and problems only, and the summary; without any, the summary is the only line')
    .option('--json', 'print one JSON object per line: the findings, then the summary')
    .addHelpText(
      'after',
      `
Exit code: 0 no problem (warnings are possible), 1 a problem, 2 wrong usage.
The code in parentheses behind a finding is for check.accepted in the configuration: accepted findings do not count.`,
    )
    .action(action(check))
}

async function check(flags: CheckFlags): Promise<void> {
  const findings = await (chosenRemote() === null ? findingsOf(flags) : remoteFindings(flags))
  const isQuiet = flags.quiet === true
  if (flags.json === true)
    for (const line of [...(isQuiet ? findings.filter(isOpen) : findings), summaryOf(findings)]) await printLine(line)
  else await print(findingsTable(findings, isQuiet, severityPrefix(process.stdout)))
  process.exitCode = summaryOf(findings).ok ? EXIT.good : EXIT.no
}

/** The gateway runs the check itself. @throws PortariaError for wrong usage */
function remoteFindings(flags: CheckFlags): Promise<readonly Finding[]> {
  const given = OF_THE_MACHINE.find((name) => flags[name] !== undefined)
  if (given !== undefined)
    throw wrongUsage(
      say`--${{ given }} works only on the gateway's machine: by the API the gateway runs the check itself, as its configuration says; leave --${{ given }} out, or run the command there`,
    )
  return withRemote(async (call) => (await call<{ findings: readonly Finding[] }>('GET', '/v1/check')).findings)
}

const OF_THE_MACHINE = ['url', 'institution', 'cert', 'key', 'ca', 'days', 'offline'] as const

/** @throws PortariaError for wrong usage */
export async function findingsOf(flags: CheckFlags): Promise<Finding[]> {
  const isOffline = flags.offline === true
  if (isOffline && flags.url !== undefined)
    throw wrongUsage(say`--offline makes no connection, and --url asks for some`)
  const { config, findings } = checkConfiguration(chooseConfig(flags))
  if (config === null) return [...findings, ...checkRuntime('production')]
  const outside = await outsideOptions(flags, config, (url) => institutionOfUrl(config, url, flags.institution))
  if (outside === null && flags.institution !== undefined)
    throw wrongUsage(say`--institution is for --url URL: add it, or leave it out`)
  const isQuiet = flags.json === true || flags.quiet === true
  const context: CheckContext = {
    config,
    now: new Date(),
    days: flags.days ?? null,
    authorities: flags.ca === undefined ? null : parseAll(readAuthorities(flags.ca)),
    progress: (text) => {
      if (process.stderr.isTTY && !isQuiet) process.stderr.write(`${text} ...\n`)
    },
    isQuiet,
    isOffline,
  }
  const files = [
    ...checkFiles(config),
    ...checkCertificates(context, outside?.url ?? null),
    ...(await checkAuthority(context)),
    ...checkTrust(context),
  ]
  const mayRestart = ![...findings, ...files].some(preventsStart)
  const [listeners, oidc, storage, reached, service] = await Promise.all([
    checkListeners(config, mayRestart),
    checkOidc(context),
    checkStorage(context, flags.integrityLimit * 1000),
    checkDestinations(context),
    checkService(context),
  ])
  const seen =
    outside === null
      ? { findings: [], clocks: [] }
      : await checkOutside({ ...context, authorities: outside.authorities && parseAll(outside.authorities) }, outside)
  const all = [
    ...findings,
    ...(await checkUsedConfiguration(config)),
    ...(await checkAccounts(config)),
    ...checkRuntime(config.mode),
    ...files,
    ...(await checkRefusedUsage(context)),
    ...(await checkRefusedCallbacks(context)),
    ...storage,
    ...(await checkNodes(context)),
    ...(await checkClock(config, context.now, [...reached.clocks, ...seen.clocks])),
    ...listeners,
    ...oidc,
    ...reached.findings,
    ...service,
    ...(await checkWaitingTokens(config)),
    ...checkAlarms(config),
    ...(await checkOutages(context)),
    ...seen.findings,
  ]
  return markAccepted(withReasons(all, await checkOverview(config)), config.check.accepted)
}

/** null: without --url. @throws PortariaError for wrong usage */
export async function outsideOptions(
  flags: OutsideFlags,
  config: Config,
  whoseUrl: (url: URL) => string | null,
): Promise<OutsideOptions | null> {
  const { url, timeout } = flags
  if (url === undefined) {
    const unused = flags.cert ?? flags.key
    if (unused !== undefined) throw wrongUsage(say`--cert and --key are for --url URL: add it, or leave them out`)
    return null
  }
  const target = parseTarget(url)
  const institution = whoseUrl(target)
  const { ca: testCa, ...testCaller } = testCaFiles(config)
  // The test CA has no callers of named institutions.
  const { cert, key, ca = testCa } = { ...(institution === null && testCaller), ...flags }
  if ((cert === undefined) !== (key === undefined)) throw wrongUsage(say`--cert and --key belong together: give both`)
  return {
    url: target,
    institution,
    timeoutMs: parseTimeout(timeout),
    authorities: ca === undefined ? null : readAuthorities(ca),
    client: cert === undefined || key === undefined ? null : readCaller(cert, key),
    body: Buffer.from(PROBE_BODY),
  }
}

/** The test CA's client certificate and the root of the development server certificate, if development has created them. */
function testCaFiles({ mode, callbacks }: Config): Partial<Record<'cert' | 'key' | 'ca', string>> {
  const folder = dirname(callbacks.certificate)
  const files = {
    cert: join(folder, 'service/sandbox-client.crt'),
    key: join(folder, 'service/sandbox-client.key'),
    ca: join(folder, 'server-ca.crt'),
  }
  return mode === 'development' && Object.values(files).every((file) => existsSync(file)) ? files : {}
}

function parseAll(pems: readonly string[]): X509Certificate[] {
  return pems.map((pem) => new X509Certificate(pem))
}
