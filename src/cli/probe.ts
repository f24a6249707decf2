import { buffer } from 'node:stream/consumers'
import { Command } from 'commander'
import type { ProbeRow, TlsVersion } from '../domain/refusal-rules.ts'
import { DEFAULT_SUFFIXES } from '../domain/routes.ts'
import { PortariaError } from '../platform/errors.ts'
import { localText } from '../platform/local-time.ts'
import { say } from '../platform/said.ts'
import { readSeconds } from '../platform/units.ts'
import type { ServerCertificate } from '../probe/server-certificate.ts'
import {
  type PlannedRequest,
  PROBE_BODY,
  PROBE_TIMEOUT_MS,
  type ProbeOptions,
  type ProbeReport,
  probeEndpoint,
} from '../probe/two-request-probe.ts'
import { readAuthorities, readCaller } from './caller-files.ts'
import { readConfig } from './config-file.ts'
import { translated } from './language/language.ts'
import { tableOf } from './listing/table.ts'
import { readOptionFile } from './option-files.ts'
import { type ConfigOption, withConfig } from './options.ts'
import { action, EXIT, print, printable, printLine, tell, wrongUsage } from './output.ts'
import { reserveOwnPort } from './own-port.ts'

interface ProbeFlags extends ConfigOption {
  readonly cert: string
  readonly key: string
  readonly ca?: string
  readonly insecure?: boolean
  readonly body?: string
  /** Seconds. */
  readonly timeout: string
}

const LONGEST_TIMEOUT_SECONDS = 3600
/** A larger body than servers accept, so that their limit can be tested. */
const LARGEST_BODY = 64 * 1024 * 1024

export function probeCommand(): Command {
  return withConfig(new Command('probe'))
    .argument('<url>', 'https://HOST:PORT/PATH of the server')
    .requiredOption('--cert <file>', 'client certificate, PEM, full chain')
    .requiredOption('--key <file>', 'private key of the client certificate, PEM')
    .option('--ca <file>', 'CA certificates for checking the server certificate, PEM (default: the public ones)')
    .option('--insecure', 'accept any server certificate')
    .option('--body <file>', `file with the body to send, - for standard input (default: ${PROBE_BODY})`)
    .option('--timeout <seconds>', 'time limit of each request', String(PROBE_TIMEOUT_MS / 1000))
    .option('--json', 'print one JSON object per line: the requests, then the summary')
    .action(action(probe))
}

async function probe(url: string, flags: ProbeFlags): Promise<void> {
  const options = await optionsOf(url, flags)
  const path = options.url.search === '' ? options.url.pathname.replace(/\/+$/, '') : ''
  const suffix = DEFAULT_SUFFIXES.find((one) => path.endsWith(one))
  if (suffix !== undefined) tell(say`the service appends ${{ suffix }} itself: register the URL without ${{ suffix }}`)
  const report = await probeEndpoint({ ...options, ...(flags.json !== true && { onRequest: announce }) })
  if (flags.json === true) for (const line of viewsOf(report, options)) await printLine(line)
  else await print(textOf(report, options))
  process.exitCode = report.ok ? EXIT.good : EXIT.no
}

/** On a terminal, because each request may take up to its time limit. */
function announce({ request, tlsVersion }: PlannedRequest): void {
  if (process.stderr.isTTY) process.stderr.write(`${translated(request)}, TLS ${shortVersion(tlsVersion)} ...\n`)
}

async function optionsOf(url: string, flags: ProbeFlags): Promise<ProbeOptions> {
  const target = parseTarget(url)
  const timeoutMs = parseTimeout(flags.timeout)
  const caller = readCaller(flags.cert, flags.key)
  const isInsecure = flags.insecure === true
  if (isInsecure && flags.ca !== undefined)
    throw wrongUsage(say`--ca and --insecure exclude each other: leave one of them out`)
  const authorities = flags.ca === undefined ? null : readAuthorities(flags.ca)
  const body = await readBody(flags.body)
  return { url: target, ...caller, authorities, isInsecure, body, timeoutMs, ...ownPorts(flags) }
}

/** A machine without a gateway needs no configuration for a probe. @throws PortariaError for a named file with mistakes */
function ownPorts(flags: ConfigOption): Pick<ProbeOptions, 'reservePort'> {
  try {
    const config = readConfig(flags)
    return { reservePort: () => reserveOwnPort(config) }
  } catch (error) {
    if (flags.config === undefined && error instanceof PortariaError) return {}
    throw error
  }
}

/** @throws PortariaError `request_invalid` if it is not an https: URL, or contains a password */
export function parseTarget(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null) throw wrongUsage(say`"${{ text }}" is not a URL: give https://HOST:PORT/PATH`)
  if (url.protocol !== 'https:')
    throw wrongUsage(
      say`the URL begins with ${{ protocol: url.protocol }} and the service calls https: only: give https://HOST:PORT/PATH`,
    )
  if (url.username !== '' || url.password !== '')
    throw wrongUsage(say`the URL holds a user name or password, and the service sends none: leave it out`)
  url.hash = ''
  return url
}

/** As `readSeconds`. @throws PortariaError `request_invalid` */
export function parseTimeout(text: string): number {
  const timeoutMs = readSeconds(text)
  if (timeoutMs < 1 || timeoutMs > LONGEST_TIMEOUT_SECONDS * 1000)
    throw wrongUsage(
      say`--timeout "${{ text }}" is not a time: give seconds, at most ${{ most: LONGEST_TIMEOUT_SECONDS }}`,
    )
  return timeoutMs
}

async function readBody(file: string | undefined): Promise<Uint8Array> {
  if (file === undefined) return Buffer.from(PROBE_BODY)
  return file === '-' ? buffer(process.stdin) : readOptionFile('--body', file, LARGEST_BODY)
}

function viewsOf({ ok, url, rows, serverCertificate: seen }: ProbeReport, { isInsecure }: ProbeOptions): object[] {
  const serverCertificate = seen && { ...seen, notAfter: new Date(seen.notAfter).toISOString() }
  return [...rows, { ok, url, insecure: isInsecure, serverCertificate }]
}

function textOf(report: ProbeReport, { isInsecure }: ProbeOptions): string {
  // Whole in a narrow terminal, too: the details are what the command is for.
  const header = ['', 'request', 'TLS', 'time', 'what happened'].map(translated)
  const table = tableOf(header, report.rows.map(toCells), null)
  const end = [describeServer(report.serverCertificate, isInsecure), summaryOf(report)].map(translated).map(printable)
  const warning = isInsecure ? `${translated(INSECURE_WARNING)}\n\n` : ''
  return `${translated(say`The service's two requests to ${{ url: report.url }}`)}\n\n${warning}${table}\n${end.join('\n')}\n`
}

const INSECURE_WARNING =
  "!! INSECURE: the server's certificate is NOT verified (--insecure). Anyone could answer here, and the service itself does verify."

function toCells({ ok, request, tlsVersion, durationMs, detail }: ProbeRow): string[] {
  const verdict = translated(ok ? '✓ good' : '✗ bad')
  return [verdict, translated(request), shortVersion(tlsVersion), `${durationMs} ms`, translated(detail)]
}

function shortVersion(version: TlsVersion): string {
  return version.replace('TLSv', '')
}

function describeServer(seen: ServerCertificate | null, isInsecure: boolean): string {
  if (seen === null) return 'The server certificate is unknown: no handshake got that far.'
  const named = seen.namesHost ? 'names this host' : 'does NOT name this host'
  const until = localText(seen.notAfter)
  const trust =
    seen.distrust === null ? 'trusted' : `NOT trusted (${seen.distrust})${isInsecure ? ', not verified' : ''}`
  return `The server's certificate: ${seen.subject}; issued by ${seen.issuer}; valid until ${until}; ${named}; ${trust}.`
}

function summaryOf(report: ProbeReport): string {
  if (report.ok) return '✓ All good: refused without a certificate, answered with one.'
  const bad = report.rows.filter((row) => !row.ok).length
  return `✗ Not good: ${bad} of ${report.rows.length} requests did not end as expected.`
}
