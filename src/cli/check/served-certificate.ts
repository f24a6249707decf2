import type { X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'
import { nameOf, readCertificates } from '../../certificates/files/pem.ts'
import {
  type RemoteCertificate,
  readRemoteCertificate,
  type TlsServer,
} from '../../certificates/live/remote-certificate.ts'
import { messageOf, PortariaError } from '../../platform/errors.ts'
import { hostOf } from '../../platform/url-host.ts'
import { reserveOwnPort } from '../own-port.ts'
import { chainFindings, isNamedBy } from './certificates.ts'
import type { CheckContext } from './context.ts'
import { expiryFindings } from './expiry.ts'
import { type Finding, reportOn } from './finding.ts'

const report = reportOn('outside')
const { good, problem } = report

/** The certificate at the public address: our configured, with its full chain, for this host, and the same with and without SNI. */
export async function checkServedCertificate(context: CheckContext, url: URL): Promise<Finding[]> {
  const host = hostOf(url)
  const at = { host, port: url.port === '' ? 443 : Number(url.port) }
  const read = async (server: TlsServer) => readServed({ ...server, localPort: await reserveOwnPort(context.config) })
  const seen = await read(at)
  if (!('certificates' in seen)) return [seen]
  const [served] = seen.certificates
  if (served === undefined) return []
  return [
    ownFinding(served, context),
    ...chainFindings(seen.certificates, (item) => `served ${item}`, context, report),
    nameFinding(served, host),
    ...expiryFindings(seen.certificates, { report, what: 'served dates', renew: 'renew it where TLS ends' }, context),
    ...(isIP(host) === 0 ? [sniFinding(seen, await read({ ...at, servername: '' }))] : []),
  ]
}

async function readServed(at: TlsServer): Promise<RemoteCertificate | Finding> {
  try {
    // Refusals are checked elsewhere, so the handshake need not finish.
    return await readRemoteCertificate(at, { refusalMs: 0 })
  } catch (error) {
    if (!(error instanceof PortariaError)) throw error
    const what = at.servername === '' ? 'without SNI' : 'certificate'
    return problem('outside.certificate', what, messageOf(error), 'let the server send its certificate to every caller')
  }
}

function ownFinding(served: X509Certificate, { config }: CheckContext): Finding {
  const { certificate: file } = config.callbacks
  const configured = ownCertificate(file)
  if (configured?.fingerprint256 === served.fingerprint256) return good('certificate', `ours: the one in ${file}`)
  const found = `not ours: ${nameOf(served)}, ${served.fingerprint256.slice(0, 23)}… is served, ${file} holds ${
    configured === null ? 'none that can be read' : `${nameOf(configured)}, ${configured.fingerprint256.slice(0, 23)}…`
  }`
  const nextStep =
    'something in front ends TLS: let it pass TCP through (nginx: stream, ssl_preread), so that ' +
    'client certificates reach the gateway; or the gateway has not loaded its files (SIGHUP)'
  return problem('outside.certificate', 'certificate', found, nextStep)
}

function ownCertificate(file: string): X509Certificate | null {
  try {
    return readCertificates(file, 'callbacks.certificate')[0] ?? null
  } catch {
    // The certificate findings say why it cannot be read.
    return null
  }
}

function nameFinding(served: X509Certificate, host: string): Finding {
  if (isNamedBy(served, host)) return good('served name', `names ${host}`)
  const found = `${nameOf(served)} does not name ${host}`
  return problem('outside.name', 'served name', found, `have one issued for ${host}`)
}

function sniFinding(withName: RemoteCertificate, without: RemoteCertificate | Finding): Finding {
  if (!('certificates' in without)) return without
  const shown = ({ certificates }: RemoteCertificate) => certificates.map(({ fingerprint256 }) => fingerprint256).join()
  if (shown(withName) === shown(without)) return good('without SNI', 'the same certificate and chain')
  const [first] = without.certificates
  const found = `another certificate or chain is sent: ${first === undefined ? 'none' : nameOf(first)}`
  return problem('outside.sni', 'without SNI', found, 'make it the default of that address: some callers send no name')
}
