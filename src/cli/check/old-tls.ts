import { isIP } from 'node:net'
import { connect } from 'node:tls'
import { hostOf } from '../../platform/url-host.ts'

/**
 * Offers only TLS 1.0 and 1.1. A server that sends its certificate speaks them, even if it refuses the caller afterwards. Unknown: there was no
 * connection or no response.
 */
export function trySpeakingOldTls(
  url: URL,
  client: { readonly certificate: string; readonly privateKey: string },
  { timeoutMs, localPort }: { readonly timeoutMs: number; readonly localPort: number | undefined },
): Promise<'spoken' | 'refused' | 'unknown'> {
  const host = hostOf(url)
  // Only the declared type of `connect` lacks `localPort`.
  const address = { host, port: url.port === '' ? 443 : Number(url.port), localPort }
  const socket = connect({
    ...address,
    servername: isIP(host) === 0 ? host : '',
    minVersion: 'TLSv1',
    maxVersion: 'TLSv1.1',
    // OpenSSL supports these versions only at its lowest security level.
    ciphers: 'ALL:@SECLEVEL=0',
    cert: client.certificate,
    key: client.privateKey,
    rejectUnauthorized: false,
  })
  return new Promise((resolve) => {
    let isConnected = false
    const settle = (result: 'spoken' | 'refused' | 'unknown') => {
      clearTimeout(timer)
      resolve(result)
      socket.destroy()
    }
    const timer = setTimeout(() => settle('unknown'), timeoutMs)
    const refuse = () => {
      if (!isConnected) return settle('unknown')
      settle(socket.getPeerX509Certificate() === undefined ? 'refused' : 'spoken')
    }
    socket.once('connect', () => {
      isConnected = true
    })
    socket.once('secureConnect', () => settle('spoken'))
    socket.on('error', refuse)
    socket.once('close', refuse)
  })
}
