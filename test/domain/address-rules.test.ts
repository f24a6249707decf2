import { describe, expect, test } from 'vitest'
import {
  checkDestinationUrl,
  compileAddressRules,
  compileNetworks,
  createReplaceableRules,
  forbiddenAddressText,
  isSameAddress,
} from '../../src/domain/address-rules.ts'

const strict = compileAddressRules([])

const FORBIDDEN: readonly (readonly [string, string])[] = [
  ['127.0.0.1', 'loopback'],
  ['127.255.255.254', 'loopback'],
  ['0.0.0.0', 'unspecified'],
  ['0.1.2.3', 'unspecified'],
  ['10.0.0.1', 'private network'],
  ['172.16.0.1', 'private network'],
  ['172.31.255.255', 'private network'],
  ['192.168.1.1', 'private network'],
  ['100.64.0.1', 'carrier-grade NAT'],
  ['100.127.255.255', 'carrier-grade NAT'],
  ['100.100.100.200', 'cloud metadata'],
  ['169.254.1.1', 'link-local'],
  ['169.254.169.254', 'cloud metadata'],
  ['168.63.129.16', 'cloud metadata'],
  ['192.0.0.192', 'cloud metadata'],
  ['192.0.0.8', 'reserved'],
  ['192.0.2.1', 'reserved'],
  ['198.51.100.7', 'reserved'],
  ['203.0.113.9', 'reserved'],
  ['198.18.0.1', 'reserved'],
  ['198.19.255.255', 'reserved'],
  ['192.88.99.1', 'reserved'],
  ['224.0.0.1', 'multicast'],
  ['239.255.255.250', 'multicast'],
  ['240.0.0.1', 'reserved'],
  ['255.255.255.255', 'broadcast'],
  ['::', 'unspecified'],
  ['::1', 'loopback'],
  ['0:0:0:0:0:0:0:1', 'loopback'],
  ['fe80::1', 'link-local'],
  ['fe80::1%eth0', 'link-local'],
  ['febf::1', 'link-local'],
  ['fec0::1', 'private network'],
  ['fc00::1', 'private network'],
  ['fd12:3456::1', 'private network'],
  ['fd00:ec2::254', 'cloud metadata'],
  ['ff02::1', 'multicast'],
  ['2001:db8::1', 'reserved'],
  ['3fff::1', 'reserved'],
  ['2001:2::1', 'reserved'],
  ['2001:10::1', 'reserved'],
  ['100::1', 'reserved'],
  ['5f00::1', 'reserved'],
  ['4000::1', 'reserved'],
  ['::ffff:127.0.0.1', 'IPv4-mapped form of 127.0.0.1, loopback'],
  ['::ffff:7f00:1', 'IPv4-mapped form of 127.0.0.1, loopback'],
  ['::ffff:169.254.169.254', 'IPv4-mapped form of 169.254.169.254, cloud metadata'],
  ['::ffff:8.8.8.8', 'IPv4-mapped form of 8.8.8.8, public'],
  ['::7f00:1', 'IPv4-compatible form of 127.0.0.1, loopback'],
  ['::808:808', 'IPv4-compatible form of 8.8.8.8, public'],
  // The parser reads this spelling of an IPv4-compatible address as the mapped one: what it carries is the same.
  ['::127.0.0.1', 'IPv4-mapped form of 127.0.0.1, loopback'],
  ['::ffff:0:10.0.0.1', 'IPv4-translated form of 10.0.0.1, private network'],
  ['64:ff9b::127.0.0.1', 'NAT64 form of 127.0.0.1, loopback'],
  ['64:ff9b::8.8.8.8', 'NAT64 form of 8.8.8.8, public'],
  ['64:ff9b:1::10.0.0.1', 'NAT64 form of 10.0.0.1, private network'],
  ['2002:7f00:1::1', '6to4 form of 127.0.0.1, loopback'],
  ['2002:808:808::1', '6to4 form of 8.8.8.8, public'],
  ['2001:0:808:808::80ff:fffe', 'Teredo form of 127.0.0.1, loopback'],
  ['2606:4700::5efe:10.0.0.1', 'ISATAP form of 10.0.0.1, private network'],
  ['2606:4700::200:5efe:10.0.0.1', 'ISATAP form of 10.0.0.1, private network'],
  ['127.1', 'not an IP address'],
  ['0x7f.0.0.1', 'not an IP address'],
  ['0177.0.0.1', 'not an IP address'],
  ['2130706433', 'not an IP address'],
  ['example.com', 'not an IP address'],
  ['', 'not an IP address'],
]

const METADATA: readonly string[] = [
  ...['169.254.169.254', '169.254.170.2', '169.254.170.23', '169.254.169.252', '169.254.42.42', '169.254.0.23'],
  ...['168.63.129.16', '192.0.0.192', '100.100.100.200', '100.96.0.96', 'fe80::a9fe:a9fe', 'fd00:ec2::254'],
  ...['fd00:ec2::23', 'fd20:ce::254', 'fd00:c1::a9fe:a9fe', 'fd00:42::42', 'fd00:a9fe:a9fe::1', 'fd00:100::100:200'],
]

describe('without allowed networks', () => {
  test.each(FORBIDDEN)('the address %s is refused: %s', (address, reason) => {
    expect([strict.isAllowed(address), strict.reasonAgainst(address)]).toEqual([false, reason])
  })

  test.each(['8.8.8.8', '1.1.1.1', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '2a00:1450:4001::1'])(
    'the public address %s is allowed, but never without TLS',
    (address) => {
      expect([strict.isAllowed(address), strict.reasonAgainst(address), strict.allowsPlainHttp(address)]).toEqual([
        true,
        null,
        false,
      ])
    },
  )
})

describe('with allowed networks', () => {
  const rules = compileAddressRules(['10.1.0.0/16', '127.0.0.1', 'fd12::/16', '64:ff9b::/96'])

  test.each([
    '10.1.2.3',
    '127.0.0.1',
    'fd12::5',
    'fd12::5%eth1',
    '::ffff:10.1.2.3',
    '::ffff:127.0.0.1',
    '64:ff9b::10.1.0.9',
    '2002:a01:203::1',
  ])('%s lies within one and may be spoken to without TLS', (address) => {
    expect([rules.isAllowed(address), rules.allowsPlainHttp(address)]).toEqual([true, true])
  })

  test.each([
    '10.2.0.1',
    '127.0.0.2',
    'fd13::1',
    '::1',
    '::ffff:127.0.0.2',
    '::ffff:8.8.8.8',
    '64:ff9b::169.254.169.254',
    '2001:0:808:808::f5fe:fdfc',
    '2001:0:a01:203::80ff:fffd',
    // A place for 169.254.169.254 under one prefix length, 10.1.2.3 under another.
    '64:ff9b:1:a9fe:a9:fe00:a01:203',
  ])('%s does not and is refused', (address) => {
    expect([rules.isAllowed(address), rules.allowsPlainHttp(address)]).toEqual([false, false])
  })

  test.each(METADATA)('the metadata address %s is let in by no range, only by an entry of its own', (address) => {
    const ranges = compileAddressRules(['0.0.0.0/0', '::/0', '169.254.0.0/16', '169.254.169.254/31', 'fd00::/8'])
    const own = compileAddressRules([address])
    expect([ranges.isAllowed(address), ranges.allowsPlainHttp(address)]).toEqual([false, false])
    expect([own.isAllowed(address), own.allowsPlainHttp(address)]).toEqual([true, true])
  })

  test('a metadata address in another spelling is let in by no range either', () => {
    const ranges = compileAddressRules(['0.0.0.0/0', '::/0'])
    const own = compileAddressRules(['169.254.169.254/32', '::/0'])
    const spellings = ['::ffff:169.254.169.254', '64:ff9b::a9fe:a9fe', '2002:a9fe:a9fe::1', '::a9fe:a9fe']
    expect(spellings.filter(ranges.isAllowed)).toEqual([])
    expect(spellings.filter(own.isAllowed)).toEqual(spellings)
    expect(compileAddressRules(['::ffff:169.254.169.254']).isAllowed('169.254.169.254')).toBe(true)
  })

  test('what lies beside a metadata address in an allowed range stays allowed', () => {
    const ranges = compileAddressRules(['169.254.0.0/16', '100.64.0.0/10', 'fd00::/8'])
    expect(['169.254.169.253', '100.100.100.201', 'fd00:ec2::255'].map(ranges.isAllowed)).toEqual([true, true, true])
  })

  test.each([
    ['169.254.169.254', 'entry for exactly this address, 169.254.169.254, in'],
    ['64:ff9b::a9fe:a9fe', 'entry for exactly this address, 169.254.169.254, in'],
    ['fd00:ec2::254', 'entry for exactly this address, fd00:ec2::254, in'],
    ['10.0.0.1', 'add its network to forwarding.allowedNetworks'],
    ['127.0.0.1', 'add "loopback" to forwarding.allowedNetworks and reload'],
    ['::1', 'add "loopback" to forwarding.allowedNetworks and reload'],
  ])('the text against %s says what to write', (address, advice) => {
    expect(forbiddenAddressText('hooks.example', address, 'reason')).toContain(advice)
  })

  test('loopback is this machine over IPv4 and IPv6, with plain http, and nothing else', () => {
    const local = compileAddressRules(['loopback'])
    expect(['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1'].map(local.allowsPlainHttp)).toEqual(
      Array(4).fill(true),
    )
    expect(['10.0.0.1', 'fd00::1', '169.254.1.1', '::'].map(local.isAllowed)).toEqual(Array(4).fill(false))
    expect(checkDestinationUrl('http://localhost:3000/hook', local).hostname).toBe('localhost')
  })

  test('rules that are replaced count at once for everything that has them', () => {
    const replaceable = createReplaceableRules(['10.0.0.0/8'])
    const states = () => [
      replaceable.hasAllowedNetworks,
      ...['10.0.0.1', '127.0.0.1'].map((ip) => replaceable.isAllowed(ip)),
      replaceable.allowsPlainHttp('::1'),
      replaceable.reasonAgainst('127.0.0.1'),
    ]
    expect(states()).toEqual([true, true, false, false, 'loopback'])
    expect([replaceable.replace(['loopback']), states()]).toEqual([true, [true, false, true, true, null]])
    expect([replaceable.replace(['loopback']), replaceable.replace([])]).toEqual([false, true])
    expect(states()).toEqual([false, false, false, false, 'loopback'])
    expect(() => replaceable.replace(['nowhere'])).toThrow(/the text is not a network/)
    expect(replaceable.hasAllowedNetworks).toBe(false)
  })

  test('an allowed NAT64 network carries public addresses, with TLS only', () => {
    const address = '64:ff9b::8.8.8.8'
    expect([rules.isAllowed(address), rules.allowsPlainHttp(address)]).toEqual([true, false])
  })

  test('all of IPv6 lets no private IPv4 address in by a form that carries it', () => {
    const all = compileAddressRules(['::/0'])
    expect(['::1', '::ffff:10.0.0.1', '2002:a00:1::1'].map(all.isAllowed)).toEqual([true, false, false])
  })

  test('a network in IPv4-mapped spelling is the IPv4 network', () => {
    const mapped = compileAddressRules(['::ffff:10.0.0.0/104'])
    expect(['10.9.9.9', '11.0.0.1'].map(mapped.allowsPlainHttp)).toEqual([true, false])
  })

  test('every bad entry is reported, with what to write instead', () => {
    const bad = ['10.0.0.0/33', 'intranet', '10.1.2.3/8', '127.1', 'fe80::%eth0/10', '10.0.0.0/8 ', '']
    expect(() => compileAddressRules(['10.0.0.0/8', ...bad])).toThrow(
      expect.objectContaining({
        code: 'configuration_invalid',
        details: [
          expect.stringContaining('"10.0.0.0/33" is not a network'),
          expect.stringContaining('the text is not a network'),
          '"10.1.2.3/8" is not the start of its network: write 10.0.0.0/8, or 10.1.2.3 alone',
          expect.stringContaining('"127.1" is not a network'),
          ...['fe80::%eth0/10', '10.0.0.0/8 ', ''].map(() => expect.stringContaining('the text is not a network')),
        ],
      }),
    )
  })
})

describe('the URL of a destination', () => {
  test.each([
    'https://127.0.0.1/',
    'https://127.1/',
    'https://0x7f.1/',
    'https://0x7f000001/',
    'https://0177.0.0.1/',
    'https://2130706433/',
    'https://127.0.0.1./',
    'https://１２７.０.０.１/',
    'https://①②⑦.⓪.⓪.①/',
    'https://127。0。0。1/',
    'https://%31%32%37.0.0.1/',
    'https://[::1]/',
    'https://[0:0:0:0:0:0:0:1]:8443/',
    'https://[::ffff:127.0.0.1]/',
    'https://[::ffff:7f00:1]/',
    'https://[64:ff9b::a00:1]/',
    'https://[fd00:ec2::254]/',
    'https://0/',
    'https://0xa9fea9fe/latest/meta-data',
    'https://169.254.43518/',
    'https://localhost/',
    'https://LOCALHOST/',
    'https://localhost./',
    'https://localhost../',
    'https://api.localhost:8443/',
    'https://ｌｏｃａｌｈｏｓｔ/',
    'HTTPS://10.0.0.1/',
    'http://8.8.8.8/',
    'http://example.com/',
  ])('%s names a forbidden address', (url) => {
    expect(() => checkDestinationUrl(url, strict)).toThrow(
      expect.objectContaining({ code: 'address_forbidden', message: expect.stringContaining('allowedNetworks') }),
    )
  })

  test.each([
    ['', 'must begin with https://, or with http:// for an address of forwarding.allowedNetworks'],
    ['example.com/hook', 'must begin with https://, or with http:// for an address of forwarding.allowedNetworks'],
    ['ftp://example.com/', 'must begin with https://, or with http:// for an address of forwarding.allowedNetworks'],
    ['https:example.com', 'must begin with https://, or with http:// for an address of forwarding.allowedNetworks'],
    ['https://', 'cannot be read'],
    ['https://exa mple.com/', 'space, backslash or control'],
    ['https://exa\nmple.com/', 'space, backslash or control'],
    ['https://example.com\\@127.0.0.1/', 'space, backslash or control'],
    ['https://user:secret@example.com/', 'has credentials'],
    ['https://@example.com/', 'has credentials'],
    ['https://example.com/#part', 'has a fragment'],
    ['https://example.com/#', 'has a fragment'],
    ['https://[fe80::1%25eth0]/', 'cannot be read'],
    [`https://example.com/${'a'.repeat(2048)}`, 'longer than 2048'],
  ])('%s is unusable: %s', (url, text) => {
    expect(() => checkDestinationUrl(url, strict)).toThrow(
      expect.objectContaining({ code: 'request_invalid', message: expect.stringContaining(text) }),
    )
  })

  test('the text against bad credentials does not repeat them', () => {
    expect(() => checkDestinationUrl('https://user:secret@example.com/', strict)).toThrow(/^(?!.*secret)/)
  })

  test('https to a name or a public address is good, and so is an @ behind the host', () => {
    const urls = ['https://hooks.example.com/in?to=a@b', 'https://8.8.8.8:8443/', 'https://example.com./']
    expect(urls.map((url) => checkDestinationUrl(url, strict).href)).toEqual(urls)
  })

  test('plain http is good within an allowed network, and to names that are judged at connect', () => {
    const rules = compileAddressRules(['127.0.0.0/8'])
    const urls = ['http://127.0.0.1:3000/', 'http://localhost/', 'http://hooks.internal/', 'https://127.0.0.9/']
    expect(urls.map((url) => checkDestinationUrl(url, rules).href)).toEqual(urls)
    expect(() => checkDestinationUrl('http://8.8.8.8/', rules)).toThrow('plain http to 8.8.8.8 is not allowed')
  })
})

test('addresses are compared by meaning, not by spelling', () => {
  expect(isSameAddress('::ffff:127.0.0.1', '127.0.0.1')).toBe(true)
  expect(isSameAddress('FE80:0::1%eth0', 'fe80::1')).toBe(true)
  expect(isSameAddress('127.0.0.1', '127.0.0.2')).toBe(false)
  expect(isSameAddress('', '')).toBe(false)
})

test('a list of networks tells which callers lie within, however their address is written', () => {
  const isWithin = compileNetworks(['203.0.113.0/24', '2001:db8::/32', '192.0.2.7'])
  const callers = ['203.0.113.9', '::ffff:203.0.113.9', '2001:db8::1', '192.0.2.7', '192.0.2.8', '2001:db9::1', '']
  expect(callers.map(isWithin)).toEqual([true, true, true, true, false, false, false])
  expect(() => compileNetworks(['nowhere'], 'chargeNotifications.allowedAddresses')).toThrow(
    'chargeNotifications.allowedAddresses: the text is not a network',
  )
})
