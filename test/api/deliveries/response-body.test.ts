import { expect, it } from 'vitest'
import { excerptOf } from '../../../src/api/deliveries/response-body.ts'

it.each([
  ['invalid signature', 'invalid signature'],
  ['', ''],
  ['{\r\n\t"error": "não",\n}\n', '{ "error": "não", }'],
  ['\u001b[31mred\u001b[0m\u0007\0', '\ufffd[31mred\ufffd[0m\ufffd\ufffd'],
  ['\u009b2J\u202eabc\u2066\u200b', '\ufffd2J\ufffdabc\ufffd\ufffd'],
  [Buffer.from([0x61, 0xff, 0x62, 0xe9]), 'a\ufffdb\ufffd'],
  ['x'.repeat(201), 'x'.repeat(200)],
  ['😀'.repeat(201), '😀'.repeat(200)],
  [`${' '.repeat(500)}late`, 'late'],
])('the response body %j is shown as safe text: %j', (body, shown) => {
  expect(excerptOf(Buffer.from(body as string))).toBe(shown)
})
