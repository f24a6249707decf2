import { generate } from 'selfsigned'

/** PEM. */
export interface Pair {
  readonly cert: string
  readonly key: string
}

/** An authority, and a server (127.0.0.1) and a client of it. */
export async function issuePairs(): Promise<{ authority: Pair; server: Pair; client: Pair }> {
  const authority = await issuePair('Test Authority')
  const [server, client] = await Promise.all([issuePair('server', authority), issuePair('client', authority)])
  return { authority, server, client }
}

/** Of this CA; without one a self-signed CA. */
export async function issuePair(name: string, ca?: Pair): Promise<Pair> {
  const issued = await generate([{ name: 'commonName', value: name }], {
    keyType: 'ec',
    curve: 'P-256',
    algorithm: 'sha256',
    ...(ca === undefined ? {} : { ca }),
    extensions: [
      { name: 'basicConstraints', cA: ca === undefined, critical: true },
      { name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] },
    ],
  })
  return { cert: issued.cert, key: issued.private }
}
