import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { onTestFinished } from 'vitest'
import type { Pair } from './issued-pairs.ts'

export interface ReceivedMail {
  readonly from: string
  readonly to: readonly string[]
  readonly user: string | null
  readonly isSecure: boolean
  /** The message with its headers, each line as it came, quoted-printable decoded. */
  readonly text: string
}

export interface MailServer {
  readonly port: number
  readonly mails: readonly ReceivedMail[]
  /** Refuses every recipient with these words from now on; null: takes all. @param status reply code of SMTP */
  refuse(words: string | null, status?: number): void
}

export const MAIL_USER = 'alarms@example.com'
export const MAIL_PASSWORD = 'a-mail-password-7f3c'

/** A real SMTP server on loopback. Without a pair it has no TLS; with one and `isImplicit`, TLS from the start. */
export async function startMailServer(
  pair: Pair | null,
  { isImplicit = false, hasUsers = false }: { isImplicit?: boolean; hasUsers?: boolean } = {},
): Promise<MailServer> {
  const mails: ReceivedMail[] = []
  let refusal: Error | null = null
  const options: SMTPServerOptions = {
    secure: isImplicit,
    ...(pair !== null && { cert: pair.cert, key: pair.key }),
    authOptional: !hasUsers,
    // Without a pair it would offer one of its own.
    disabledCommands: [...(hasUsers ? [] : ['AUTH']), ...(pair === null ? ['STARTTLS'] : [])],
    onAuth({ username, password }, _session, done) {
      if (username === MAIL_USER && password === MAIL_PASSWORD) done(null, { user: username })
      else done(new Error(`Invalid login of ${username} with ${password}`))
    },
    onRcptTo(_address, _session, done) {
      done(refusal)
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope
        mails.push({
          from: mailFrom === false ? '' : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          user: session.user ?? null,
          isSecure: session.secure,
          text: unquoted(Buffer.concat(chunks).toString('latin1')),
        })
        done()
      })
    },
  }
  const server = new SMTPServer(options)
  server.on('error', () => undefined)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())))
  const address = server.server.address()
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    mails,
    refuse(words, status = 550) {
      refusal = words === null ? null : Object.assign(new Error(words), { responseCode: status })
    },
  }
}

function unquoted(text: string): string {
  const bytes = text
    .replaceAll(/=\r?\n/g, '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
  return Buffer.from(bytes, 'latin1').toString('utf8').replaceAll('\r\n', '\n')
}
