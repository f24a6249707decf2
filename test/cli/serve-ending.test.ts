import { expect, it } from 'vitest'
import { createEnding } from '../../src/cli/serve/ending.ts'

function start() {
  const done: unknown[] = []
  const log = {
    flush(written: () => void) {
      done.push('flush')
      written()
    },
  }
  const ending = createEnding(log, (code) => void done.push(code))
  return { ending, done }
}

it('an end by an error logs what is summed up, then the reason as the last line, and ends when both are written', () => {
  const { ending, done } = start()
  ending.sumUpWith(() => void done.push('sums'))
  ending.fail(() => void done.push('reason'))
  expect(done).toEqual(['sums', 'reason', 'flush', 1])
})

it('before anything is summed up, an end needs no sums', () => {
  const { ending, done } = start()
  ending.fail(() => void done.push('reason'))
  ending.end(0)
  expect(done).toEqual(['reason', 'flush', 1, 'flush', 0])
})
