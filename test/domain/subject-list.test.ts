import { expect, it } from 'vitest'
import type { EventWithBody, SubjectKey } from '../../src/domain/event-record.ts'
import { listSubjects } from '../../src/domain/subject-list.ts'

const MIB = 1024 * 1024

function eventOf(position: number, subject: string, bytes: number): EventWithBody {
  const event = { id: `evt_${position}`, position, kind: 'payment', environment: 'production', subject }
  return { ...event, body: new Uint8Array(bytes) } as unknown as EventWithBody
}

it('a page of 1,000 ends where the earlier events of its subjects are large, and the next one goes on behind it', async () => {
  const SUBJECTS = 1000
  const reads: number[] = []
  const store = {
    async listEvents({ before = 0 }: { before?: number }, limit: number) {
      const top = Math.min(before - 1, SUBJECTS)
      const count = Math.min(limit, top)
      // Each of them is small.
      const events = Array.from({ length: count }, (_, at) => eventOf(top - at, `s${top - at}`, 100))
      return { events, next: top - count + 1, more: top > count }
    },
    async listSubjectEvents(keys: readonly SubjectKey[]) {
      reads.push(keys.length)
      return keys.map(({ subject }) => {
        const position = Number(subject.slice(1))
        const events = [
          eventOf(position, subject, 100),
          ...Array.from({ length: 9 }, () => eventOf(0, subject, 32_768)),
        ]
        return { events, positions: events.map((event) => event.position) }
      })
    },
    listDeliveries: async () => [],
  } as unknown as Parameters<typeof listSubjects>[0]
  const seen: (string | null | undefined)[] = []
  let largest = 0
  for (let more = true, before = Number.MAX_SAFE_INTEGER; more; ) {
    reads.length = 0
    const page = await listSubjects(store, { before }, { limit: SUBJECTS })
    largest = Math.max(largest, reads.reduce((sum, keys) => sum + keys, 0) * 9 * 32_768)
    seen.push(...page.subjects.map(({ events }) => events[0]?.subject))
    more = page.more
    before = page.next
  }
  expect(seen).toEqual(Array.from({ length: SUBJECTS }, (_, at) => `s${SUBJECTS - at}`))
  expect(largest).toBeLessThan(24 * MIB)
})
