import { expect, it } from 'vitest'
import { inShell, linesOf, portaria } from '../cli/program.ts'
import { callApi, callBack } from '../support/calls.ts'
import { hasFaketime, withClock } from '../support/faketime.ts'
import { createSite, spawnGateway } from '../support/gateway.ts'
import { until } from '../support/until.ts'

/** Storage that keeps a month, and a destination where no one listens. */
function createMonthSite() {
  return createSite({
    storage: {
      url: 'sqlite:data/portaria.db',

      minFreeSpace: '1MiB',
      retention: { payload: '30d', metadata: '60d' },
    },
    forwarding: { allowedNetworks: ['127.0.0.0/8'], schedule: ['0s', '1s', '1h', '1h', '1h', '1h'], timeout: '1s' },
    destinations: [{ name: 'books', url: 'http://127.0.0.1:9/hook', secretFile: 'secret' }],
  })
}

it.skipIf(!hasFaketime)(
  'a gateway that starts a year ahead exhausts and removes nothing, says so, and delivers when the clock is right again; an operator confirms a real pause',
  async () => {
    const site = await createMonthSite()
    await inShell(
      site,
      `printf 'whsec_%s' "$(head -c 32 /dev/zero | base64)" > "$(dirname "$PORTARIA_CONFIG")/secret"; chmod 600 "$(dirname "$PORTARIA_CONFIG")/secret"`,
    )
    const before = await spawnGateway(site)
    for (const n of [1, 2, 3])
      await callBack({ ...before, site }, { path: '/callbacks/payment', body: `{"identificador":"${n}"}` })
    before.process.kill('SIGTERM')
    await before.exited

    const ahead = await spawnGateway(site, withClock('+365d'))
    const line = await until(() => ahead.lines.find(({ event }) => event === 'clock.implausible'))
    expect(line).toMatchObject({ level: 'error', hint: expect.stringMatching(/confirm-clock/) })
    const ready = await callApi(ahead.api, '/readyz', { token: null })
    expect([ready.status, JSON.parse(ready.body)]).toMatchObject([
      200,
      { warnings: [expect.stringMatching(/days after/)] },
    ])
    // At least one look of retention and one of the dispatcher at what is too old.
    const pruned = await portaria(site, 'storage', 'prune', '--json')
    expect([pruned.code, linesOf(pruned)]).toMatchObject([1, [{ state: 'failed', events: 0 }]])
    await until(
      async () => linesOf<{ attempts: number }>(await portaria(site, 'deliveries', 'list', '--json')),
      (all) => all.every(({ attempts }) => attempts > 0),
    )
    ahead.process.kill('SIGTERM')
    await ahead.exited

    const deliveries = linesOf(await portaria(site, 'deliveries', 'list', '--json'))
    expect(deliveries.map(({ state }) => state)).toEqual(['pending', 'pending', 'pending'])
    expect(linesOf(await portaria(site, 'events', 'list', '--json'))).toHaveLength(3)

    const right = await spawnGateway(site)
    expect((await portaria(site, 'storage', 'verify')).code).toBe(0)
    const due = linesOf<{ nextAttemptAt: string }>(await portaria(site, 'deliveries', 'list', '--json'))
    for (const { nextAttemptAt } of due) expect(Date.parse(nextAttemptAt)).toBeLessThan(Date.now() + 86_400_000)
    right.process.kill('SIGTERM')
    await right.exited

    const paused = await spawnGateway(site, withClock('+365d'))
    const confirmed = await portaria(site, 'storage', 'confirm-clock', '--json')
    expect(linesOf(confirmed)).toMatchObject([{ wasImplausible: true }])
    expect(linesOf(await portaria(site, 'storage', 'prune', '--json'))).toMatchObject([{ state: 'done' }])
    await until(() => paused.lines.find(({ event }) => event === 'clock.confirmed'))
  },
  120_000,
)
