import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { loadConfig } from '../../../src/config/load-config.ts'
import { callBack } from '../../support/calls.ts'
import { createSite, spawnGateway, startTestGateway } from '../../support/gateway.ts'
import { issuePairs } from '../../support/issued-pairs.ts'
import { type ReceivedMail, startMailServer } from '../../support/mail-server.ts'
import { startReceiver } from '../../support/receiver.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { until } from '../../support/until.ts'

const subjectOf = ({ text }: ReceivedMail) => /^Subject: (.*)$/m.exec(text)?.[1]

it('e-mails say that a circuit opened, and that it closed; a restart in between repeats nothing', async () => {
  const { authority, server: pair } = await issuePairs()
  const mail = await startMailServer(pair)
  const ca = join(temporaryFolder(), 'mail-ca.pem')
  writeFileSync(ca, authority.cert)
  const books = await startReceiver()
  books.answer(500)
  const site = await createSite({
    destinations: [{ name: 'books', url: books.url }],
    forwarding: {
      allowedNetworks: ['loopback'],
      schedule: ['0s', '1h'],
      circuit: { failures: 1, probeInterval: '200ms' },
    },
    node: { name: 'gw-1', folder: 'data' },
    api: { publicUrl: 'https://portaria.example.com' },
    alarms: {
      group: '0s',
      channels: [
        {
          name: 'mail',
          email: 'ops@example.com',
          from: 'portaria@example.com',
          smtp: { host: '127.0.0.1', port: mail.port, authorities: ca },
        },
      ],
    },
  })

  const first = await spawnGateway(site)
  await callBack(
    { callbacks: first.callbacks, site },
    { body: '{"identificador":"12345-secret-payer","valor":"150.10"}' },
  )
  // A busy machine may have reasons of its own beside it.
  const about = () => mail.mails.filter(({ text }) => text.includes('[circuit_open]'))
  await until(() => about().length > 0)
  expect(subjectOf(about()[0] as ReceivedMail)).toMatch(/^Portaria gw-1: .*\d warnings?/)
  expect(about()[0]?.text).toMatch(
    /^WARNING: the destination books keeps failing[^[]*^Waiting: 1 payment, R\$150\.10 in all$[^[]*^Last answer of the receiver: HTTP 500 \([^[]*^Next step: [^[]*^Page: https:\/\/portaria\.example\.com\/ui\/destinations\/dst_1#deliveries$\n^\[circuit_open\]$/m,
  )
  expect(about()[0]?.text).toContain('https://portaria.example.com/ui/alarms#mutes')
  expect(about()[0]?.text).not.toContain('secret-payer')
  await until(() => first.lines.some(({ event }) => event === 'alarm.sent'))
  first.process.kill('SIGTERM')
  expect(await first.exited).toBe(0)

  const second = await spawnGateway(site)
  books.answer(200)
  await until(() => about().some(({ text }) => text.includes('OVER: the destination books')))
  expect(about().map(({ text }) => /^(\w+): the destination books/m.exec(text)?.[1])).toEqual(['WARNING', 'OVER'])
  second.process.kill('SIGTERM')
  expect(await second.exited).toBe(0)
})

it('the heartbeat is asked while the gateway runs, and a reload takes the section up', async () => {
  const [before, after] = [await startReceiver(), await startReceiver()]
  const site = await createSite({ alarms: { heartbeat: before.url, heartbeatEvery: '1d' } })
  const gateway = await startTestGateway(site)
  await until(() => before.received.length > 0)
  const changed = await createSite({ alarms: { heartbeat: after.url, heartbeatEvery: '1d' } }, site.folder)
  const { needRestart } = await gateway.reload(loadConfig(changed.configFile))
  expect(needRestart).toEqual([])
  await until(() => after.received.length > 0)
  await gateway.stop()
  expect(before.received).toHaveLength(1)
})
