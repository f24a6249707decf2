import { messageOf, PortariaError } from '../../platform/errors.ts'
import { alertWords } from '../../platform/tls-alerts.ts'

const TIMEOUT_MS = 20_000
const LIMIT_BYTES = 1024 * 1024

/**
 * Downloads the certificate chains that the service publishes (Document 1), over https with the public authorities (and NODE_EXTRA_CA_CERTS). Redirects
 * are not followed. The result is what was published, which need not be trustworthy.
 * @throws PortariaError `certificate_invalid`
 */
export async function downloadChain(url: string, timeoutMs = TIMEOUT_MS): Promise<Buffer> {
  // Loaded on demand: the package takes 20 MiB, and only these downloads need all of it.
  const { request } = await import('undici')
  const signal = AbortSignal.timeout(timeoutMs)
  try {
    const { statusCode, body } = await request(url, {
      signal,
      headers: { accept: 'application/x-pem-file, text/plain, */*' },
    })
    if (statusCode !== 200) {
      await body.dump()
      throw new Error(`it answered ${statusCode}`)
    }
    const chunks: Buffer[] = []
    let size = 0
    for await (const chunk of body as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > LIMIT_BYTES) throw new Error(`it is larger than ${LIMIT_BYTES} bytes, so it is no chain`)
      chunks.push(chunk)
    }
    return Buffer.concat(chunks)
  } catch (error) {
    const reason = signal.aborted ? `no answer within ${timeoutMs / 1000} s` : (alertWords(error) ?? messageOf(error))
    throw new PortariaError('certificate_invalid', `the chain cannot be fetched from ${url}: ${reason}`, {
      cause: error,
    })
  }
}
