import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { digestOf, sha256Of } from '../../src/domain/event-hash.ts'

const expected = (chunks: readonly (string | Uint8Array)[]) => {
  const hash = createHash('sha256')
  for (const chunk of chunks) hash.update(chunk)
  return hash.digest()
}

it('a text and the bytes behind it are hashed as one, of any length and in any order of lengths', () => {
  const lengths = [0, 1, 1024, 5000, 49_300, 65_000, 65_536, 70_000, 1_000_000, 3, 65_535, 4097, 12]
  for (const length of lengths) {
    const [one, other] = [Buffer.alloc(length, 'a'), Buffer.alloc(Math.floor(length / 3), 'b')]
    for (const text of ['', 'payment\0production\0', 'ação 😀', 'é'.repeat(length)]) {
      expect(sha256Of(text, [one, other])).toEqual(expected([text, one, other]))
      expect(sha256Of(text, [])).toEqual(expected([text]))
    }
  }
})

it('hashes that share a buffer do not change each other', () => {
  const digest = digestOf(['portaria-event-1', 7, null, 'x'.repeat(9000)])
  const key = sha256Of('payment\0', [Buffer.alloc(20_000, 'a')])
  expect(digestOf(['portaria-event-1', 7, null, 'x'.repeat(9000)])).toEqual(digest)
  expect(sha256Of('payment\0', [Buffer.alloc(20_000, 'a')])).toEqual(key)
})
