import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { Database } from '../../../src/store/postgres/database/database.ts'
import { createCallSender } from '../../../src/store/postgres/writing/call-sender.ts'
import type { WriterParts } from '../../../src/store/postgres/writing/writer-parts.ts'
import type { PostgresCall } from '../../../src/store/postgres/writing/writes.ts'

const CALL = { method: 'dropRefusals', args: [] } as unknown as PostgresCall

/** What happens behind the commit of a batch for which another one waits. @param living nodes on the database */
async function behindCommit(living: number): Promise<string[]> {
  const happened: string[] = []
  const commits: (() => void)[] = []
  const database = {
    write: () => {
      happened.push('sent')
      return new Promise((resolve) => commits.push(() => resolve([null])))
    },
    failure: () => null,
    hurry: () => undefined,
  } as unknown as Database
  const parts = { node: { id: 1, living }, own: { confirmed: () => undefined } } as unknown as WriterParts
  const sender = createCallSender(database, parts, { queue: { events: 10, bytes: 1000 } })
  for (const name of ['first', 'second']) void sender.add(CALL).then(() => happened.push(`${name} answered`))
  await turn()
  commits[0]?.()
  await turn()
  await turn()
  return happened
}

describe('a batch for which another one waits', () => {
  it('is answered behind what is sent next, because PostgreSQL works meanwhile', async () => {
    expect(await behindCommit(1)).toEqual(['sent', 'sent', 'first answered'])
  })

  it('is answered first where other nodes wait for the head, which is locked by what is sent next', async () => {
    expect(await behindCommit(2)).toEqual(['sent', 'first answered', 'sent'])
  })
})
