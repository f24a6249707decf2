import { createHash } from 'node:crypto'
import type { NewCallback } from '../../src/domain/event.ts'
import { openStore } from '../../src/store/open-store.ts'

const AT_ONCE = 2000

/** Of a callback: what is to be told apart by filters. */
export type Told = Partial<
  Pick<NewCallback, 'environment' | 'kind' | 'receivedAt' | 'body'> & { subject: string; status: string }
>

/** Stores so many events through the store itself, as the product would, with bodies of 300 bytes unless `tell` makes others. @param tell what is special about the nth */
export async function fillStore(
  file: string,
  count: number,
  destination?: Parameters<Awaited<ReturnType<typeof openStore>>['createDestination']>[0],
  tell: (n: number) => Told = () => ({}),
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
      Array.from({ length: Math.min(AT_ONCE, count - done) }, (_, i) =>
        store.storeCallback(callback(done + i, tell(done + i))),
      ),
    )
    if (done % 100_000 === 0) process.stderr.write(`  filled ${done} of ${count}\r`)
  }
  await store.close()
}

function callback(n: number, told: Told): NewCallback {
  const { kind = 'payment', subject = `s${n}`, status = 'LIQUIDADO' } = told
  const body =
    told.body ?? Buffer.from(`{"identificador":"s${n}","status":{"atual":"${status}"},"extras":"${'x'.repeat(240)}"}`)
  return {
    receivedAt: told.receivedAt ?? Date.now(),
    kind,
    environment: told.environment ?? 'production',
    listener: 'callbacks',
    authentication: 'mutual-tls',
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
        kind,
        subject,
        status,
        hash: createHash('sha256').update(body).digest(),
        span: null,
        part: 1,
        parts: 1,
      },
    ],
    mark: null,
  }
}
