import { X509Certificate } from 'node:crypto'
import { forwardingText } from '../../domain/forwarding/forwarding-texts.ts'
import { PortariaError } from '../../platform/errors.ts'
import { problemsOf } from '../files/pem.ts'
import { loadServerCertificate, type ServerCertificateFiles } from './server-certificate.ts'

/** The client certificate of the gateway for destinations. */
export interface ClientCertificate {
  /** PEM, full chain, and key. @throws PortariaError `certificate_invalid` when the certificate cannot be used */
  readonly tls: { readonly cert: string; readonly key: string }
  /** Why nothing may be sent now, in words; null: sending is allowed. Without a configured certificate nothing is sent (fail closed). */
  problem(now: Date): string | null
}

/** A missing or damaged file is a problem of forwarding only, reported when something is to be sent. Receiving continues. */
export function loadClientCertificate(files: ServerCertificateFiles, now: Date): ClientCertificate {
  try {
    const { cert, key } = loadServerCertificate(files, now, 'forwarding.clientCertificate')
    const { validFrom, validTo } = new X509Certificate(cert)
    const file = files.certificate
    const [from, to] = [Date.parse(validFrom), Date.parse(validTo)]
    return {
      tls: { cert, key },
      problem(at) {
        if (at.getTime() < from) return forwardingText('certificate_not_yet', { file, date: validFrom })
        return at.getTime() < to ? null : forwardingText('certificate_expired', { file, date: validTo })
      },
    }
  } catch (error) {
    const text = forwardingText('certificate_unusable', { detail: problemsOf(error).join('; ') })
    return {
      get tls(): never {
        throw new PortariaError('certificate_invalid', text, { cause: error })
      },
      problem: () => text,
    }
  }
}
