import { expect, it } from 'vitest'
import { retryDelayMs } from '../../src/webhooks/retries.ts'

it.each([
  ['short', [0, 5, 5, 5, 10, 20, 40, 80, 160]],
  ['long', [5, 10, 20, 40, 80, 160, 320, 640, 1_280, 52_560]],
] as const)('%s: a try follows each failed one after so many minutes, and none the last', (preset, minutes) => {
  const delays = Array.from({ length: minutes.length + 1 }, (_, index) => retryDelayMs(preset, index + 1))
  expect(delays).toEqual([...minutes.map((one) => one * 60_000), undefined])
})
