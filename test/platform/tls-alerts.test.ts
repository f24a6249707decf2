import { createServer } from 'node:tls'
import { expect, it, onTestFinished } from 'vitest'
import { createEmailChannel } from '../../src/alarms/channels/email.ts'
import { readRemoteCertificate } from '../../src/certificates/live/remote-certificate.ts'
import { downloadChain } from '../../src/certificates/trust/published-chain.ts'
import { openTransport } from '../../src/cli/remote/transport.ts'
import { createAlarmHttp, createAlarmMail } from '../../src/gateway/alarms/alarm-http.ts'
import { translatedInto } from '../../src/messages/translator.ts'
import { createProviderFetch } from '../../src/oidc/provider-fetch.ts'
import { adviceForAlert } from '../../src/platform/tls-alerts.ts'
import { transportFailure } from '../../src/service/transport-failure.ts'

/** A server that speaks TLS 1.1 alone: it ends the handshake of every client of ours with alert 70. */
async function oldServer(): Promise<number> {
  const server = createServer({ minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' })
  server.on('tlsClientError', () => undefined)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return (server.address() as { port: number }).port
}

const signal = AbortSignal.timeout(10_000)
const resolve = async () => ['127.0.0.1']
const GET = { method: 'GET', headers: {}, body: null } as const
const MESSAGE = { gateway: 'g', at: 0, isTest: true, title: 't', text: 't', began: [], ended: [], goingOn: [] }

async function asMail(port: number): Promise<void> {
  const smtp = { host: '127.0.0.1', port, isImplicitTls: true, authorities: null, userFile: null, passwordFile: null }
  const addresses = { to: ['ops@example.com'], from: 'portaria@example.com' }
  await createEmailChannel({ name: 'mail', ...addresses, smtp, connect: createAlarmMail(resolve) }).send(
    MESSAGE,
    signal,
  )
}

async function asProvider(port: number): Promise<unknown> {
  const provider = createProviderFetch(null)
  onTestFinished(() => provider.close())
  return provider.send(`https://127.0.0.1:${port}/`, GET)
}

async function asCommand(port: number): Promise<unknown> {
  const transport = await openTransport({ api: `https://127.0.0.1:${port}`, ca: null, certificate: null }, '')
  onTestFinished(() => transport.close())
  return transport.exchange('/', { method: 'GET' }, null)
}

async function asService(port: number): Promise<never> {
  const error = await readRemoteCertificate({ host: '127.0.0.1', port }).catch((failed: Error) => failed.cause)
  throw transportFailure(error, { environment: 'sandbox', on: 'charges', clean: (text) => text })
}

it.each<[string, (port: number) => Promise<unknown>]>([
  ['an alarm webhook', (port) => createAlarmHttp(resolve)({ ...GET, url: `https://127.0.0.1:${port}/` }, signal)],
  ['a mail server', asMail],
  ['an OpenID provider', asProvider],
  ['a gateway that a command asks', asCommand],
  ['the service', asService],
  ['certs show HOST:PORT', (port) => readRemoteCertificate({ host: '127.0.0.1', port })],
  ['certs trust stage URL', (port) => downloadChain(`https://127.0.0.1:${port}/`)],
])('the alert of %s is in words, with what to do', async (_whose, ask) => {
  const failed = await ask(await oldServer()).then(
    () => 'no failure',
    (error: Error) => error.message,
  )
  expect(failed).toContain('TLS alert 70 (protocol_version): the server speaks no TLS version that this side allows: ')
  expect(failed).not.toMatch(/openssl|SSL routines/i)
})

it('each alert has advice, in Portuguese, too', () => {
  for (let alert = 0; alert < 256; alert++) {
    const advice = adviceForAlert(alert)
    expect(translatedInto('pt', `TLS alert ${alert} (x): ${advice}`)).not.toContain('server')
  }
})
