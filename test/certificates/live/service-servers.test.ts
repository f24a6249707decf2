import type { X509Certificate } from 'node:crypto'
import { expect, it } from 'vitest'
import { rememberServiceServers } from '../../../src/certificates/live/service-servers.ts'
import { NOON } from '../../support/builders.ts'

const DAY = 86_400_000

/** What the inventory reads of a certificate. */
const certificate = (name: string, notAfter: number) =>
  ({
    subject: `CN=${name}`,
    issuer: 'CN=ca',
    fingerprint256: 'AB:CD',
    validFromDate: new Date(notAfter - 90 * DAY),
    validToDate: new Date(notAfter),
  }) as X509Certificate

it('of each address of the service the latest certificate is kept, until nothing has called it for a week', () => {
  let now = NOON
  const servers = rememberServiceServers(() => now)
  servers.add('production', 'api.example', certificate('old', NOON + 5 * DAY))
  servers.add('production', 'api.example', certificate('new', NOON + 90 * DAY))
  servers.add('sandbox', 'api.example', certificate('trial', NOON + 20 * DAY))
  const place = { set: 'service-server', isReplaced: false, issuer: 'CN=ca' }
  const trial = { ...place, where: 'api.example, sandbox', environment: 'sandbox', notAfter: NOON + 20 * DAY }
  expect(servers.watched(now)).toMatchObject([
    {
      ...place,
      where: 'api.example, production',
      environment: 'production',
      subject: 'CN=new',
      notAfter: NOON + 90 * DAY,
    },
    trial,
  ])
  now += 5 * DAY
  servers.add('sandbox', 'api.example', certificate('trial', NOON + 20 * DAY))
  now += 3 * DAY
  expect(servers.watched(now)).toMatchObject([trial])
})
