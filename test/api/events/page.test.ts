import { describe, expect, it } from 'vitest'
import { answerText, fitAnswer } from '../../../src/api/events/page.ts'
import { searchPages } from '../../../src/api/events/search-pages.ts'
import type { EventPage } from '../../../src/domain/event-record.ts'
import { parseSearch } from '../../../src/domain/search/search-query.ts'
import { aStoredEvent } from '../../support/builders.ts'

const EMPTY: EventPage = {
  events: [],
  next: 7,
  more: false,
  removed: { isMissed: false, through: 0, announcedAt: 0 },
}

const MIB = Buffer.alloc(1024 * 1024, ' ')

describe('the text of an answer', () => {
  const reader = (gapsReportedAt: number) => ({
    gapsReportedAt: () => gapsReportedAt,
    cursorBehind: () => `cursor ${gapsReportedAt}`,
  })

  it('has the cursor and the hint of its reader, also where readers share a page', () => {
    const fitted = fitAnswer(EMPTY)
    const readers = [
      [1, null],
      [2, null],
      [2, 'a hint'],
      [1, null],
    ] as const
    const texts = readers.map(([reportedAt, hint]) => answerText(fitted, reader(reportedAt), hint))
    expect(texts).toEqual([
      '{"data":[],"next":"cursor 1","more":false}',
      '{"data":[],"next":"cursor 2","more":false}',
      '{"data":[],"next":"cursor 2","more":false,"hint":"a hint"}',
      '{"data":[],"next":"cursor 1","more":false}',
    ])
  })

  it('is made once for readers that know the same', () => {
    const fitted = fitAnswer({ ...EMPTY, events: [] })
    let made = 0
    const counted = { ...reader(1), cursorBehind: () => `cursor ${++made}` }
    expect(answerText(fitted, counted, null)).toBe(answerText(fitted, counted, null))
    expect(made).toBe(1)
  })

  it('is bytes where it is long, so that not each connection makes its own of it', () => {
    const [short, long] = [15, 16].map((kib) =>
      answerText({ ...fitAnswer(EMPTY), texts: [`"${'é'.repeat(kib * 1024)}"`] }, reader(1), null),
    )
    expect(short).toBeTypeOf('string')
    expect(String(long)).toBe(String(short).replace('é', 'é'.repeat(1025)))
    expect(long).toBeInstanceOf(Buffer)
  })
})

it('an answer ends before 4 MiB of text', () => {
  const events = Array.from({ length: 6 }, (_, index) => aStoredEvent({ position: index + 1 }))
  const { texts, next, more } = fitAnswer({ ...EMPTY, events }, () => MIB.toString())
  expect({ texts: texts.length, next, more }).toEqual({ texts: 3, next: 3, more: true })
})

it('a search reads on until a page has 4 MiB of payloads, and no further', async () => {
  let position = 100
  const store = {
    listEvents: async () => ({
      ...EMPTY,
      events: [aStoredEvent({ position: --position, body: MIB })],
      next: position,
      more: true,
    }),
  }
  const pages = searchPages(store, { filter: { search: parseSearch('any') }, limit: 1000 }, 0)
  expect((await pages.read(100)).events).toHaveLength(4)
})
