import { X509Certificate } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { connect, createServer } from 'node:tls'
import { expect, it, onTestFinished } from 'vitest'
import type { KeyPair } from '../../src/folder/certificates.ts'
import type { WrongCertificate } from '../../src/folder/wrong-certificates.ts'
import { contentsOf, firstStart } from './support.ts'

const first = firstStart()

/** The reason why a receiver with this chain refuses the caller in the handshake; null when it does not. */
async function refusalOf(client: KeyPair, chain: string): Promise<string | null> {
  const { server: own } = await first.open()
  const server = createServer({ ...own, ca: chain, requestCert: true, rejectUnauthorized: false })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const caller = connect({ ...client, host: '127.0.0.1', port, rejectUnauthorized: false })
  caller.on('error', () => undefined)
  const refusal = await new Promise<string | null>((resolve) =>
    server.once('secureConnection', (socket) => {
      socket.on('error', () => undefined)
      // Node gives the code of the error as a text.
      resolve(socket.authorized ? null : String(socket.authorizationError))
    }),
  )
  caller.destroy()
  return refusal
}

const REFUSALS: readonly (readonly [WrongCertificate, string])[] = [
  ['expired', 'CERT_HAS_EXPIRED'],
  ['unknown-root', 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY'],
]

it('a receiver with the published chain accepts the right certificate', async () => {
  const { client, chain } = (await first.open()).environments.sandbox
  expect(await refusalOf(client, chain)).toBeNull()
})

it.each(REFUSALS)('TLS refuses the certificate of kind %s', async (kind, refusal) => {
  const folder = await first.open()
  const wrong = await folder.wrongCertificate('sandbox', kind)
  expect(await refusalOf(wrong, folder.environments.sandbox.chain)).toBe(refusal)
})

/** They lead to the installed root, so a receiver must compare the issuing certificate. */
it.each(['sibling', 'other-environment', 'rotated'] as const)(
  'the certificate of kind %s passes TLS: only its intermediate differs',
  async (kind) => {
    const folder = await first.open()
    const { chain } = folder.environments.sandbox
    const wrong = await folder.wrongCertificate('sandbox', kind)
    expect(await refusalOf(wrong, chain)).toBeNull()
    const leaf = new X509Certificate(wrong.cert)
    const issuer = new X509Certificate(chain)
    expect(leaf.checkIssued(issuer) && leaf.verify(issuer.publicKey)).toBe(false)
  },
)

it('a sibling has the name of the service, and is an account certificate of its environment only', async () => {
  const folder = await first.open()
  const { cert } = await folder.wrongCertificate('sandbox', 'sibling')
  const { subject, raw } = new X509Certificate(cert)
  expect(subject).toBe(new X509Certificate(folder.environments.sandbox.client.cert).subject)
  expect(folder.verifyAccountCertificate(raw, 'sandbox')).toBe(true)
  expect(folder.verifyAccountCertificate(raw, 'production')).toBe(false)
})

it('makes each certificate once, in memory only, until a rotation', async () => {
  const path = first.copy()
  const folder = await first.open(path)
  const before = contentsOf(path)
  const [one, two] = await Promise.all([
    folder.wrongCertificate('sandbox', 'expired'),
    folder.wrongCertificate('sandbox', 'expired'),
  ])
  expect(two).toBe(one)
  expect(await folder.wrongCertificate('production', 'expired')).not.toEqual(one)
  expect(contentsOf(path)).toEqual(before)
  await folder.rotate('sandbox')
  await folder.activate('sandbox')
  const after = await folder.wrongCertificate('sandbox', 'expired')
  const issuer = new X509Certificate(folder.environments.sandbox.chain)
  expect(new X509Certificate(after.cert).verify(issuer.publicKey)).toBe(true)
})
