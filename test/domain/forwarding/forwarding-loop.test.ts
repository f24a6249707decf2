import { expect, test } from 'vitest'
import { hasPassed, instanceNameOf, loopBehind } from '../../../src/domain/forwarding/forwarding-loop.ts'

const OWN = 'portaria-0123456789abcdef'

test.each([
  [OWN, true],
  [`cdn.example, ${OWN}`, true],
  [` cdn.example:443 ;a=b ,\t${OWN.toUpperCase()} ; v="1, 2" , z`, true],
  [`a;x="\\", y" ,${OWN}`, true],
  ['', false],
  ['cdn.example', false],
  [`${OWN}0, 0${OWN}`, false],
  [`cdn.example; via=${OWN}`, false],
  [`cdn.example; via="x, ${OWN}"`, false],
])('CDN-Loop %j names the instance: %j', (header, isNamed) => {
  expect(hasPassed(header, OWN)).toBe(isNamed)
})

test('an instance is named after its secret, without showing any of it, as a token', () => {
  const [one, other] = ['secret-one', 'secret-other'].map(instanceNameOf)
  expect(one).toMatch(/^portaria-[0-9a-f]{16}$/)
  expect([instanceNameOf('secret-one'), one === other]).toEqual([one, false])
})

test('what a request has passed is kept in front, if it can be sent at all', () => {
  expect([loopBehind(undefined, OWN), loopBehind('a, b;c="d"', OWN), loopBehind('a\r\nx: y', OWN)]).toEqual([
    ...[OWN, `a, b;c="d", ${OWN}`, OWN],
  ])
})
