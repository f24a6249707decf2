import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { proofOf } from '../../src/api/events/lookup.ts'
import { openStoreReader } from '../../src/store/open-store.ts'
import { anInterpretedCallback } from '../support/builders.ts'
import { openTestStore, temporaryDatabase } from '../support/store.ts'

const hasPython = spawnSync('python3', ['--version']).status === 0

/** The program that docs/evidence.md gives to auditors. */
function judged(proof: object): string[] {
  const page = readFileSync(new URL('../../docs/evidence.md', import.meta.url), 'utf8')
  const program = /```python\n(.*?)```/s.exec(page)?.[1] ?? ''
  const { stdout, stderr } = spawnSync('python3', ['-c', program], { input: JSON.stringify(proof), encoding: 'utf8' })
  expect(stderr).toBe('')
  return stdout.trim().split('\n')
}

async function withEvents(): Promise<{ file: string; ids: readonly string[] }> {
  const file = temporaryDatabase()
  const store = await openTestStore({ file, deduplicationWindowMs: 1000 })
  await store.storeCallback(anInterpretedCallback('{"identificador":"first"}'))
  const several = '{"pix":[{"identificador":"é\\ud83d\\ude00\\u0000"},{"valor":150.10}],"n":1}'
  // More than the gateway keeps room for.
  const headers = JSON.stringify([['x-long', 'é'.repeat(5000)]])
  const { eventIds } = await store.storeCallback({ ...anInterpretedCallback(several, ['/pix']), headers })
  await store.close()
  return { file, ids: eventIds }
}

async function proofsIn(file: string, ids: readonly string[]) {
  const reader = await openStoreReader(file)
  try {
    return await Promise.all(ids.map((id) => proofOf(reader, id)))
  } finally {
    await reader.close()
  }
}

it.skipIf(!hasPython)(
  'another program computes the same hash from what is shown, and finds what was changed in it',
  async () => {
    const { file, ids } = await withEvents()
    const proofs = await proofsIn(file, ids)
    expect(proofs.map(judged)).toEqual(Array(2).fill(['hash True', 'payload True', 'certificate True']))
    expect(proofs[1]?.previous).toEqual({ position: 2, hash: proofs[0]?.hash })

    const [proof] = proofs as [(typeof proofs)[0]]
    const fields = proof.fields.map(([name, value]) => [name, name === 'subject' ? 'other' : value])
    const changes = {
      fields,
      payload: Buffer.from('{}').toString('base64'),
      certificate: proof.certificate?.replace('MIIB', 'MIIC'),
    }
    expect(judged({ ...proof, ...changes })).toEqual(['hash False', 'payload False', 'certificate False'])
  },
)

it('what is not what was stored is shown as such', async () => {
  const { file, ids } = await withEvents()
  const soundAfter = async (sql: string) => {
    const db = new Database(file)
    db.exec(sql)
    db.close()
    return (await proofsIn(file, ids)).map(({ isSound }) => isSound)
  }
  expect(await soundAfter('')).toEqual([true, true])
  expect(await soundAfter('update events set hash = zeroblob(32) where id = 1')).toEqual([false, true])
  expect(await soundAfter(`update events set status = 'X' where id = 3`)).toEqual([false, false])
})

it('an event whose payload is gone is still proven', async () => {
  const { file, ids } = await withEvents()
  const db = new Database(file)
  db.exec(`update events set payload_removed_at = 1; update callbacks set body = x'', payload_removed_at = 1`)
  db.close()
  const [proof] = await proofsIn(file, ids)
  expect(proof).toMatchObject({ isSound: true, payload: null, payloadRemovedAt: '1970-01-01T00:00:00.001Z' })
})
