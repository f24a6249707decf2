import { Pool } from 'undici'

const BATCH = 5000

/** The bodies of the jobs, some thousands at a time. */
export function* batchesOf(count: number): Generator<string[]> {
  for (let done = 0; done < count; done += BATCH)
    yield Array.from({ length: Math.min(BATCH, count - done) }, (_, i) => {
      return `{"identificador":"s${done + i}","status":{"atual":"LIQUIDADO"},"extras":"${'x'.repeat(240)}"}`
    })
}

/** Sends a body to the receiver, so many at once. */
export function createSender(port: string, connections: number): (body: string) => Promise<void> {
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections })
  return async (body) => {
    const answer = await pool.request({ path: '/hook', method: 'POST', body })
    await answer.body.dump()
    if (answer.statusCode !== 200) throw new Error(`answer ${answer.statusCode}`)
  }
}

/** The jobs are stored: the work begins. */
export function tellReady(): void {
  process.stdout.write('0\n')
}
