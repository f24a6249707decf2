import { createHash } from 'node:crypto'
import { openStore } from '../../src/store/open-store.ts'

const AT_ONCE = 2000

/** Stores so many events through the store itself, as the product would, with bodies of 300 bytes. */
export async function fillStore(
  file: string,
  count: number,
  destination?: Parameters<Awaited<ReturnType<typeof openStore>>['createDestination']>[0],
): Promise<void> {
  const store = await openStore({
    file,
    deduplicationWindowMs: 40 * 86_400_000,
    queue: { events: 100_000, bytes: 1 << 30 },
  })
  if (destination !== undefined) {
    const { id } = await store.createDestination(destination, Date.now())
    await store.pauseDestination(id, 'until the benchmark begins')
  }
  for (let done = 0; done < count; done += AT_ONCE) {
    await Promise.all(
      Array.from({ length: Math.min(AT_ONCE, count - done) }, (_, i) => store.storeCallback(callback(done + i))),
    )
    if (done % 100_000 === 0) process.stderr.write(`  filled ${done} of ${count}\r`)
  }
  await store.close()
}

function callback(n: number) {
  const body = Buffer.from(`{"identificador":"s${n}","status":{"atual":"LIQUIDADO"},"extras":"${'x'.repeat(240)}"}`)
  return {
    receivedAt: Date.now(),
    kind: 'payment',
    environment: 'production' as const,
    listener: 'callbacks' as const,
    authentication: 'mutual-tls' as const,
    peer: null,
    remoteAddress: '127.0.0.1',
    tlsVersion: 'TLSv1.3',
    cipher: 'TLS_AES_128_GCM_SHA256',
    target: '/callbacks/payment',
    contentType: 'application/json',
    headers: '[]',
    body,
    facts: [
      {
        kind: 'payment',
        subject: `s${n}`,
        status: 'LIQUIDADO',
        hash: createHash('sha256').update(body).digest(),
        span: null,
        part: 1,
        parts: 1,
      },
    ],
    mark: null,
  }
}
