import { createHook } from 'node:async_hooks'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { parseHosts, parseSearchList } from '../../src/delivery/name-files.ts'
import { createNameResolver, type NameResolverOptions } from '../../src/delivery/name-resolver.ts'
import { type DnsName, startDnsServer } from '../support/dns-server.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { until } from '../support/until.ts'

/** A resolver over a name server and files of its own. */
async function aResolver(names: Record<string, DnsName>, options: NameResolverOptions = {}) {
  const folder = temporaryFolder()
  const files = { hostsFile: join(folder, 'hosts'), resolvConf: join(folder, 'resolv.conf') }
  writeFileSync(files.hostsFile, '127.0.0.1 localhost\n')
  writeFileSync(files.resolvConf, 'search .\n')
  const server = await startDnsServer(names)
  return { ...files, server, resolve: createNameResolver({ ...files, servers: [server.address], ...options }) }
}

describe('names in DNS', () => {
  test('have the addresses of both families', async () => {
    const addresses = ['192.0.2.1', '2001:db8::1', '192.0.2.2', '2001:db8::2']
    const { resolve } = await aResolver({ 'hooks.test': { addresses } })
    const found = await resolve('Hooks.Test.')
    expect([...found].sort()).toEqual([...addresses].sort())
    // In turn, so that a family that leads nowhere costs one try.
    expect(found.map((address) => address.includes(':'))).toSatisfy(isAlternating)
  })

  test('of one family only are good', async () => {
    const { resolve } = await aResolver({
      'four.test': { addresses: ['192.0.2.1'] },
      'six.test': { addresses: ['2001:db8::1'] },
    })
    expect([await resolve('four.test'), await resolve('six.test')]).toEqual([['192.0.2.1'], ['2001:db8::1']])
  })

  test('whose servers never answer for one family have the addresses of the other', async () => {
    const { resolve } = await aResolver({ 'half.test': { addresses: ['192.0.2.1', '2001:db8::1'], silent: 'AAAA' } })
    await expect(resolve('half.test')).resolves.toEqual(['192.0.2.1'])
  })

  test.each<[string, DnsName | undefined, string]>([
    ['do not exist', undefined, 'the name does not exist'],
    ['have no address', {}, 'the name has no address'],
    ['cannot be found out', { rcode: 2 }, 'the name servers failed (SERVFAIL)'],
    ['are refused', { rcode: 5 }, 'the name servers failed (REFUSED)'],
    ['get no answer', { silent: 'all' }, 'the name servers did not answer within 0.2 s'],
  ])('that %s fail in words', async (_what, said, words) => {
    const { resolve } = await aResolver(said === undefined ? {} : { 'bad.test': said }, { limitMs: 200 })
    await expect(resolve('bad.test')).rejects.toThrow(words)
  })

  test('that cannot be names fail in words', async () => {
    const { resolve } = await aResolver({})
    await expect(resolve('a..b')).rejects.toThrow('the name does not exist')
  })

  test('fail in words when no name server can be reached', async () => {
    const { resolve } = await aResolver({}, { servers: ['127.0.0.1:1'] })
    await expect(resolve('hooks.test')).rejects.toThrow('no name server could be reached')
  })
})

describe('look-ups', () => {
  test('of silent names keep no other one waiting, and use no thread of the pool', async () => {
    const dark = Array.from({ length: 20 }, (_, i) => `dark-${i}.test`)
    const { resolve, server } = await aResolver({
      ...Object.fromEntries(dark.map((name) => [name, { silent: 'all' as const }])),
      'good.test': { addresses: ['192.0.2.1'] },
    })
    const kinds = new Set<string>()
    const hook = createHook({ init: (_id, type) => void kinds.add(type) }).enable()
    onTestFinished(() => void hook.disable())
    const ended: string[] = []
    for (const name of dark) resolve(name).catch(() => ended.push(name))
    await until(() => dark.every((name) => server.questions.includes(`A ${name}`)))
    await expect(resolve('good.test')).resolves.toEqual(['192.0.2.1'])
    expect([ended, kinds.has('GETADDRINFOREQWRAP'), kinds.has('QUERYWRAP')]).toEqual([[], false, true])
  })

  test('of one name at the same time are one', async () => {
    const { resolve, server } = await aResolver({ 'hooks.test': { addresses: ['192.0.2.1'] } })
    await Promise.all(Array.from({ length: 10 }, () => resolve('hooks.test')))
    expect([...server.questions].sort()).toEqual(['A hooks.test', 'AAAA hooks.test'])
  })

  test('beyond their number are refused at once, and fit again when others have ended', async () => {
    const { resolve } = await aResolver(
      { 'dark.test': { silent: 'all' }, 'good.test': { addresses: ['192.0.2.1'] } },
      { maxUnderWay: 1, limitMs: 200 },
    )
    const dark = resolve('dark.test')
    await expect(resolve('good.test')).rejects.toThrow('too many names are being looked up')
    await expect(dark).rejects.toThrow('did not answer')
    await expect(resolve('good.test')).resolves.toEqual(['192.0.2.1'])
  })

  test.each([
    ['its TTL', 30, 30],
    ['a second at least', 0, 1],
    ['a minute at most', 86_400, 60],
  ])('are kept for %s', async (_what, ttl, seconds) => {
    let nowMs = 0
    const { resolve, server } = await aResolver(
      { 'hooks.test': { addresses: ['192.0.2.1'], ttl } },
      { now: () => nowMs },
    )
    await resolve('hooks.test')
    server.names.set('hooks.test', { addresses: ['192.0.2.2'] })
    nowMs = seconds * 1000 - 1
    await expect(resolve('hooks.test')).resolves.toEqual(['192.0.2.1'])
    nowMs++
    await expect(resolve('hooks.test')).resolves.toEqual(['192.0.2.2'])
  })

  test('that fail are not kept', async () => {
    const { resolve, server } = await aResolver({})
    await expect(resolve('hooks.test')).rejects.toThrow('does not exist')
    server.names.set('hooks.test', { addresses: ['192.0.2.1'] })
    await expect(resolve('hooks.test')).resolves.toEqual(['192.0.2.1'])
  })
})

describe('the hosts file', () => {
  test('goes before DNS, with aliases, both families, and no difference between small and capital letters', async () => {
    const { resolve, hostsFile, server } = await aResolver({ 'shop.test': { addresses: ['192.0.2.9'] } })
    writeFileSync(
      hostsFile,
      '# ours\n192.0.2.1\tShop.test  shop alias # the shop\n2001:db8::1 shop.TEST\nnonsense shop.test\n',
    )
    expect([await resolve('shop.test'), await resolve('SHOP'), await resolve('alias')]).toEqual([
      ['192.0.2.1', '2001:db8::1'],
      ['192.0.2.1'],
      ['192.0.2.1'],
    ])
    expect(server.questions).toEqual([])
  })

  test('is read again when it has changed, and may be missing', async () => {
    const { resolve, hostsFile } = await aResolver({ 'shop.test': { addresses: ['192.0.2.9'] } })
    writeFileSync(hostsFile, '192.0.2.1 shop.test\n')
    await expect(resolve('shop.test')).resolves.toEqual(['192.0.2.1'])
    writeFileSync(hostsFile, '192.0.2.200 shop.test\n')
    await expect(resolve('shop.test')).resolves.toEqual(['192.0.2.200'])
    rmSync(hostsFile)
    await expect(resolve('shop.test')).resolves.toEqual(['192.0.2.9'])
  })

  test('does without localhost: it and the names below it are this machine, and never asked for', async () => {
    const { resolve, hostsFile, server } = await aResolver({})
    expect([await resolve('localhost'), await resolve('app.LocalHost')]).toEqual([['127.0.0.1'], ['127.0.0.1']])
    rmSync(hostsFile)
    expect([await resolve('localhost'), await resolve('app.localhost')]).toEqual([
      ['127.0.0.1', '::1'],
      ['127.0.0.1', '::1'],
    ])
    expect(server.questions).toEqual([])
  })
})

describe('the search list', () => {
  const inCluster: Record<string, DnsName> = {
    'shop.apps.svc.test': { addresses: ['192.0.2.1'] },
    'shop.other.svc.test': { addresses: ['192.0.2.2'] },
    'hooks.example.test': { addresses: ['192.0.2.3'] },
    'hooks.example.test.svc.test': { addresses: ['192.0.2.4'] },
  }

  test('completes a name without dots', async () => {
    const { resolve, resolvConf, server } = await aResolver(inCluster)
    writeFileSync(resolvConf, 'nameserver 192.0.2.53\nsearch apps.svc.test svc.test\n')
    await expect(resolve('shop')).resolves.toEqual(['192.0.2.1'])
    await expect(resolve('shop.other')).resolves.toEqual(['192.0.2.2'])
    expect(server.questions.filter((question) => question.startsWith('A '))).toEqual([
      ...['A shop.apps.svc.test', 'A shop.other', 'A shop.other.apps.svc.test', 'A shop.other.svc.test'],
    ])
  })

  test('comes after the name itself where that has enough dots, before it where it has not', async () => {
    const { resolve, resolvConf } = await aResolver(inCluster)
    writeFileSync(resolvConf, 'search svc.test\n')
    await expect(resolve('hooks.example.test')).resolves.toEqual(['192.0.2.3'])
    const { resolve: resolveInCluster, resolvConf: clusterConf } = await aResolver(inCluster)
    writeFileSync(clusterConf, 'search svc.test\noptions timeout:1 ndots:5\n')
    await expect(resolveInCluster('hooks.example.test')).resolves.toEqual(['192.0.2.4'])
  })

  test('is left where the name servers are silent: whether the name exists is not known', async () => {
    const { resolve, resolvConf } = await aResolver(
      { ...inCluster, 'shop.dark.test': { silent: 'all' } },
      { limitMs: 200 },
    )
    writeFileSync(resolvConf, 'search dark.test apps.svc.test\n')
    await expect(resolve('shop')).rejects.toThrow('the name servers did not answer within 0.2 s')
  })

  test.each([
    ['', 'vm.corp.test', { domains: ['corp.test'], ndots: 1 }],
    ['', 'vm', { domains: [], ndots: 1 }],
    ['search .\n', 'vm.corp.test', { domains: [], ndots: 1 }],
    [
      'domain a.test\nsearch B.test c.test.\noptions ndots:2 rotate ndots:99',
      'vm',
      { domains: ['b.test', 'c.test'], ndots: 15 },
    ],
  ])('%j on machine %s is %j', (text, machine, list) => {
    expect(parseSearchList(text, machine)).toEqual(list)
  })
})

test('a hosts file holds addresses with an interface, and no lines that have no address', () => {
  expect(parseHosts('fe80::1%eth0 printer\n300.1.1.1 bad\n\n127.0.0.1\n')).toEqual(
    new Map([['printer', ['fe80::1%eth0']]]),
  )
})

function isAlternating(flags: readonly boolean[]): boolean {
  return flags.every((flag, index) => index === 0 || flag !== flags[index - 1])
}
