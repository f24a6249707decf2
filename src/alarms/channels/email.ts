import { isIP } from 'node:net'
import type { AlarmFailureCode } from '../../domain/alarms/failure.ts'
import type { SmtpServer } from '../../domain/alarms/smtp-server.ts'
import { decodedText } from '../../platform/decoded-text.ts'
import { messageOf } from '../../platform/errors.ts'
import { isLoopback } from '../../platform/loopback.ts'
import { readRegularFile } from '../../platform/regular-file.ts'
import type { AlarmMessage } from '../message.ts'
import { AlarmFailure, type Channel, failureOf } from './channel.ts'

export interface EmailOptions {
  readonly name: string
  readonly to: readonly string[]
  readonly from: string
  readonly smtp: SmtpServer
  /** The addresses of a name. */
  readonly resolve: (hostname: string) => Promise<readonly string[]>
}

const STEP_TIMEOUT_MS = 10_000
const SMALL_FILE = 16_384

/** Connects for each message: alarms are rare, and files that were renewed are read again. */
export function createEmailChannel({ name, to, from, smtp, resolve }: EmailOptions): Channel {
  return {
    name,
    async send(message, signal) {
      const files = readFiles(smtp)
      const secrets = files.auth === null ? [] : [files.auth.pass]
      try {
        const address = await addressOf(smtp.host, resolve)
        await sendMail(message, { to, from, smtp, address, ...files }, signal)
      } catch (error) {
        if (error instanceof AlarmFailure) throw error
        throw signal.aborted ? new AlarmFailure('timed_out') : mailFailure(error, secrets)
      }
    },
  }
}

/** nodemailer's errors have a code of their own, behind which may be that of the system, and the answer of the server. */
interface MailError extends Error {
  readonly code?: string
  readonly originalCode?: string
  readonly response?: string
}

function mailFailure(error: unknown, secrets: readonly string[]): AlarmFailure {
  const { code = '', originalCode, response } = error as MailError
  const words = response ?? (UNREACHABLE.test(originalCode ?? '') ? String(originalCode) : messageOf(error))
  return code === 'ETIMEDOUT' ? new AlarmFailure('timed_out') : failureOf(codeFor(error as MailError), words, secrets)
}

const UNREACHABLE = /^E(CONNREFUSED|CONNRESET|HOSTUNREACH|NETUNREACH|PIPE)$/

function codeFor({ code = '', originalCode = '', response, message }: MailError): AlarmFailureCode {
  if (code === 'EAUTH') return 'login_refused'
  // 4yz is a state of the server, such as greylisting (RFC 5321, section 4.2.1): no other recipient would help.
  if (code === 'EENVELOPE' && !/^4/.test(response ?? '')) return 'recipient_refused'
  if (/STARTTLS/.test(message) && code === 'ETLS' && response !== undefined) return 'tls_missing'
  if (response !== undefined) return 'mail_refused'
  if (UNREACHABLE.test(originalCode) || code === 'ECONNECTION') return 'unreachable'
  return code === 'ETLS' || code === 'ESOCKET' ? 'certificate_untrusted' : 'failed'
}

interface Sending extends Pick<EmailOptions, 'to' | 'from' | 'smtp'> {
  readonly address: string
  readonly ca: Buffer | null
  readonly auth: { readonly user: string; readonly pass: string } | null
}

async function sendMail({ title, text }: AlarmMessage, sending: Sending, signal: AbortSignal): Promise<void> {
  const { to, from, smtp, address, ca, auth } = sending
  const isImplicit = smtp.isImplicitTls
  // Mail servers of the same machine mostly have a certificate that nothing proves: with `authorities` it is checked there, too.
  const isPlain = isLoopback(smtp.host) && ca === null && !isImplicit
  const { createTransport } = await import('nodemailer')
  const transport = createTransport({
    host: address,
    port: smtp.port,
    secure: isImplicit,
    requireTLS: !isImplicit && !isPlain,
    ignoreTLS: isPlain,
    // SNI takes no addresses (RFC 6066 section 3).
    ...(isIP(smtp.host) === 0 && { servername: smtp.host }),
    // Explicit, so that no environment variable and no default of Node weakens them.
    tls: { rejectUnauthorized: true, minVersion: 'TLSv1.2', ...(ca !== null && { ca }) },
    ...(auth !== null && { auth }),
    connectionTimeout: STEP_TIMEOUT_MS,
    greetingTimeout: STEP_TIMEOUT_MS,
    socketTimeout: STEP_TIMEOUT_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  try {
    // RFC 3834 section 5: no one's absence note answers it.
    const headers = { 'Auto-Submitted': 'auto-generated' }
    await transport.sendMail({ from, to: [...to], subject: title, text, headers, signal })
  } finally {
    transport.close()
  }
}

async function addressOf(host: string, resolve: EmailOptions['resolve']): Promise<string> {
  if (isIP(host) !== 0) return host
  const [address] = await resolve(host).catch(() => [])
  if (address === undefined) throw new AlarmFailure('name_unknown', host)
  return address
}

/** @throws AlarmFailure */
function readFiles({ authorities, userFile, passwordFile }: SmtpServer): Pick<Sending, 'ca' | 'auth'> {
  const ca = authorities === null ? null : readFile(authorities, 'authorities')
  if (userFile === null || passwordFile === null) return { ca, auth: null }
  const textOf = (file: string, key: string) => decodedText(readFile(file, key)).trim()
  return { ca, auth: { user: textOf(userFile, 'userFile'), pass: textOf(passwordFile, 'passwordFile') } }
}

function readFile(file: string, key: string): Buffer {
  try {
    return readRegularFile(file, key === 'authorities' ? undefined : SMALL_FILE)
  } catch (error) {
    throw failureOf('file_unusable', `smtp.${key}: ${codeOf(error)}`)
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : messageOf(error)
}
