import { expect, it } from 'vitest'
import { sampleKindOf, sendTestEvent } from '../../src/delivery/test-event.ts'
import { TEST_KIND, testKindsOf } from '../../src/domain/destination.ts'
import { kindDefaults } from '../../src/domain/kinds.ts'
import { aDestination, type Received, startHttp } from './receiver.ts'
import { aSender, NAME, NOW } from './sending.ts'

const rule = (name: string, changes: object) => ({ ...kindDefaults(name), path: `/${name}`, name, ...changes })
const PAYMENT = rule('payment', {})
const OF_BANK = rule('payment', { institution: 'bank-a', subject: ['/pay~1ment/id'], status: ['/state'] })

async function sent(kind: string, institutions: readonly string[] | null) {
  const { port, received } = await startHttp()
  const destination = aDestination(`http://${NAME}:${port}/in`, { institutions, environments: null })
  const sample = sampleKindOf({ callbacks: { kinds: [PAYMENT, OF_BANK] } }, destination, kind)
  await sendTestEvent(aSender(), destination, { now: NOW, kind, sample })
  const [first] = received
  const headers = first?.headers ?? ({} as Received['headers'])
  return { kind: headers['portaria-kind'], of: headers['portaria-authentication'], json: JSON.parse(`${first?.body}`) }
}

const common = { event: 'test', destination: expect.any(String), sentAt: new Date(NOW).toISOString() }

it.each([
  ['operator', null, {}],
  ['payment', null, { identificador: 'test', status: { atual: 'test' } }],
  ['payment', ['bank-a'], { 'pay/ment': { id: 'test' }, state: 'test' }],
])(
  'a test event of the kind %s, institutions %j, has its subject and status where callbacks have them',
  async (kind, institutions, members) => {
    expect(await sent(kind, institutions)).toEqual({ kind, of: 'none', json: { ...common, ...members } })
  },
)

it('a destination is tested with the kinds that it receives, and with the kind of the gateway’s own events', () => {
  const configured = ['payment', 'charge']
  expect([null, ['charge'], ['probe', 'operator']].map((kinds) => testKindsOf({ kinds }, configured))).toEqual([
    [TEST_KIND, 'payment', 'charge'],
    [TEST_KIND, 'charge'],
    [TEST_KIND, 'probe'],
  ])
})
