import { isIP, type Socket } from 'node:net'
import type { AlarmFailureCode } from '../../domain/alarms/failure.ts'
import type { SmtpServer } from '../../domain/alarms/smtp-server.ts'
import { decodedText } from '../../platform/decoded-text.ts'
import { messageOf } from '../../platform/errors.ts'
import { alertWords } from '../../platform/tls-alerts.ts'
import { isLoopback } from '../../platform/loopback.ts'
import { readRegularFile } from '../../platform/regular-file.ts'
import type { AlarmMessage } from '../message.ts'
import { AlarmFailure, type Channel, failureOf } from './channel.ts'

/** A connection to one of the addresses of a name. @throws AlarmFailure */
export type ConnectMail = (host: string, port: number, signal: AbortSignal) => Promise<Socket>

export interface EmailOptions {
  readonly name: string
  readonly to: readonly string[]
  readonly from: string
  readonly smtp: SmtpServer
  readonly connect: ConnectMail
  /** Default: 8 s. */
  readonly greetingMs?: number
}

const STEP_TIMEOUT_MS = 10_000
/** Shorter than any other step, so that a missing greeting is known as such. */
const GREETING_MS = 8_000
const SMALL_FILE = 16_384

/** Connects for each message: alarms are rare, and files that were renewed are read again. */
export function createEmailChannel({ name, to, from, smtp, connect, greetingMs = GREETING_MS }: EmailOptions): Channel {
  return {
    name,
    async send(message, signal) {
      const files = readFiles(smtp)
      const secrets = files.auth === null ? [] : [files.auth.pass]
      try {
        const connection = await connect(smtp.host, smtp.port, signal)
        await sendMail(message, { to, from, smtp, connection, greetingMs, ...files }, signal)
      } catch (error) {
        if (error instanceof AlarmFailure) throw error
        throw signal.aborted ? new AlarmFailure('timed_out') : mailFailure(error, smtp, secrets)
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

function mailFailure(error: unknown, { isImplicitTls }: SmtpServer, secrets: readonly string[]): AlarmFailure {
  const { code = '', originalCode, response, message } = error as MailError
  if (code === 'ETIMEDOUT') {
    // A server with TLS from the start waits for the client, which waits for the greeting.
    return new AlarmFailure(!isImplicitTls && /greeting/i.test(message) ? 'greeting_missing' : 'timed_out')
  }
  if (isImplicitTls && NO_TLS.test(message)) return new AlarmFailure('tls_later')
  const alert = alertWords(error)
  if (alert !== null) return new AlarmFailure('tls_refused', alert)
  const words = response ?? (UNREACHABLE.test(originalCode ?? '') ? String(originalCode) : messageOf(error))
  return failureOf(codeFor(error as MailError), words, secrets)
}

/** OpenSSL's words for a greeting in plain text. */
const NO_TLS = /wrong version number|packet length too long/i

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
  readonly connection: Socket
  readonly greetingMs: number
  readonly ca: Buffer | null
  readonly auth: { readonly user: string; readonly pass: string } | null
}

async function sendMail({ title, text }: AlarmMessage, sending: Sending, signal: AbortSignal): Promise<void> {
  const { to, from, smtp, connection, greetingMs, ca, auth } = sending
  const isImplicit = smtp.isImplicitTls
  // Mail servers of the same machine mostly have a certificate that nothing proves: with `authorities` it is checked there, too.
  const isPlain = isLoopback(smtp.host) && ca === null && !isImplicit
  const { createTransport } = await import('nodemailer')
  const transport = createTransport({
    host: smtp.host,
    port: smtp.port,
    connection,
    secure: isImplicit,
    requireTLS: !isImplicit && !isPlain,
    ignoreTLS: isPlain,
    // SNI takes no addresses (RFC 6066 section 3).
    ...(isIP(smtp.host) === 0 && { servername: smtp.host }),
    // Explicit, so that no environment variable and no default of Node weakens them.
    tls: { rejectUnauthorized: true, minVersion: 'TLSv1.2', ...(ca !== null && { ca }) },
    ...(auth !== null && { auth }),
    connectionTimeout: STEP_TIMEOUT_MS,
    greetingTimeout: greetingMs,
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
    connection.destroy()
  }
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
