import { describe, expect, test } from 'vitest'
import { kindDefaults } from '../../src/domain/kinds.ts'
import { load, minimum, minimumWith, mistakes } from './files.ts'

describe('trust', () => {
  test('a fingerprint is read as tools show it, and anything else is refused', () => {
    const digits = 'AB'.repeat(32)
    const written = (digits.match(/../g) ?? []).join(':')
    const { callbacks } = load(minimumWith('callbacks.trust.0.allow', { fingerprints: [written] }))
    expect(callbacks.trust[0]?.allow.fingerprints).toEqual([digits.toLowerCase()])
    expect(mistakes(minimumWith('callbacks.trust.0.allow', { fingerprints: ['ab'] }))).toEqual([
      'callbacks.trust[0].allow.fingerprints[0]: must be the SHA-256 of a certificate: 64 hexadecimal digits, with colons or without',
    ])
  })

  test('a chain is fetched over https only', () => {
    expect(mistakes(minimumWith('callbacks.trust.0.certificateUrl', 'http://service.example/chain.pem'))).toEqual([
      'callbacks.trust[0].certificateUrl: must be an https address, such as https://service.example/chain.pem',
    ])
  })

  test.each([undefined, null, []])('Without a chain the error says to install one: %j', (value) => {
    expect(mistakes(minimumWith('callbacks.trust', value))).toEqual([
      "callbacks.trust: names no chain of the service, so no caller could be accepted: put the service's CA certificates (PEM) into a file " +
        'and install it here with `- environment: production` and `chain: ../certs/trust/production.pem`',
    ])
  })

  test('An environment is production or sandbox, also under the names of the service', () => {
    for (const [written, environment] of Object.entries({ Produção: 'production', homologacao: 'sandbox' })) {
      const config = load(minimumWith('callbacks.trust.0.environment', written))
      expect(config.callbacks.trust[0]?.environment).toBe(environment)
    }
    expect(mistakes(minimumWith('callbacks.trust.0.environment', 'homolog'))).toEqual([
      'callbacks.trust[0].environment: must be one of production, sandbox',
    ])
  })
})

describe('kinds', () => {
  const kind = (rule: object) => minimumWith('callbacks.kinds', { openBanking: rule })

  test('A kind without pointers has the defaults of its name', () => {
    expect(load(minimumWith('callbacks.kinds', { charge: { path: '/c' } })).callbacks.kinds).toEqual([
      { name: 'charge', path: '/c', ...kindDefaults('charge') },
    ])
  })

  test('A pointer may stand alone or in a list; the empty one is a root array', () => {
    const rule = { path: '/x', split: '', subject: '/a~1b', status: ['/c', '/d~0'], deduplicateBy: [] }
    expect(load(kind(rule)).callbacks.kinds).toEqual([
      {
        institution: null,
        name: 'openBanking',
        path: '/x',
        split: [''],
        subject: ['/a~1b'],
        status: ['/c', '/d~0'],
        deduplicateBy: [],
        accounts: [],
        alertAfterMs: null,
        search: { exclude: [] },
        personalData: kindDefaults('openBanking').personalData,
      },
    ])
  })

  test('A kind may be silent for as long as it says; without that no one listens for it', () => {
    expect(load(kind({ path: '/x', alertAfter: '2h' })).callbacks.kinds[0]?.alertAfterMs).toBe(7_200_000)
    expect(load(kind({ path: '/x' })).callbacks.kinds[0]?.alertAfterMs).toBeNull()
    expect(mistakes(kind({ path: '/x', alertAfter: '0s' }))).toEqual([
      'callbacks.kinds.openBanking.alertAfter: must be from 1s to 3650d',
    ])
  })

  test('A kind names its personal data, or has that of the documents; of one of your own every text is personal', () => {
    const personalDataOf = (rule: object) => load(kind({ path: '/x', ...rule })).callbacks.kinds[0]?.personalData
    expect(personalDataOf({})).toContain('/**/cpf')
    expect(personalDataOf({ personalData: '/a' })).toEqual(['/a'])
    expect(personalDataOf({ personalData: [] })).toEqual([])
    const own = load(minimumWith('callbacks.kinds', { mine: { path: '/mine' } }))
    expect(own.callbacks.kinds[0]?.personalData).toBeNull()
  })

  test('A kind leaves members out of the search, of its facts and of the envelope, or everything', () => {
    const ruleOf = (rule: object) => load(kind({ path: '/x', ...rule })).callbacks.kinds[0]?.search
    expect(ruleOf({ search: { exclude: '/senha' } })).toEqual({ exclude: ['/senha'] })
    expect(ruleOf({ split: ['/pix', ''], search: { exclude: ['/a'] } })).toEqual({
      exclude: ['/a', '/pix/*/a', '/pix/a', '/*/a'],
    })
    expect(ruleOf({ search: 'off' })).toBeNull()
    expect(ruleOf({ search: { exclude: '' } })).toBeNull()
  })

  test('What else is written for the search is named with its mistake', () => {
    const mistakeOf = (search: unknown) => mistakes(kind({ path: '/x', search }))
    const form = 'callbacks.kinds.openBanking.search: must be off, or the members to leave out: { exclude: [/senha] }'
    expect(mistakeOf('on')).toEqual([form])
    expect(mistakeOf(['/senha'])).toEqual([form])
    expect(mistakeOf({ excludes: ['/senha'] })).toEqual([
      'callbacks.kinds.openBanking.search.excludes: unknown key; did you mean "exclude"?',
    ])
    expect(mistakeOf({ exclude: ['senha'] })).toEqual([
      'callbacks.kinds.openBanking.search.exclude[0]: must be a JSON Pointer (RFC 6901): start it with "/", such as /status/atual',
    ])
  })

  test('Own accounts are named with the places where a fact names its own', () => {
    const allow = [
      { pointers: '/conta/numero', values: ['012345-6'] },
      { pointers: ['/a', '/b'], values: ['1', '2'] },
    ]
    expect(load(kind({ path: '/x', accounts: { allow } })).callbacks.kinds[0]?.accounts).toEqual([
      { pointers: ['/conta/numero'], values: ['012345-6'] },
      { pointers: ['/a', '/b'], values: ['1', '2'] },
    ])
    for (const none of [{}, { allow: [] }])
      expect(load(kind({ path: '/x', accounts: none })).callbacks.kinds[0]?.accounts).toEqual([])
  })

  const QUOTES =
    'must be text (in quotes where YAML reads it otherwise): an account or a key of yours, in quotes, such as "012345-6"'

  test.each([
    [{ alow: [] }, '.alow: unknown key; did you mean "allow"?'],
    [[], ': must be a group of keys, each with a value'],
    [{ allow: [{ pointer: '/a', values: ['1'] }] }, '.allow[0].pointer: unknown key; did you mean "pointers"?'],
    [{ allow: [{ pointers: ['/a'] }] }, '.allow[0].values: is missing'],
    [{ allow: [{ values: ['1'] }] }, '.allow[0].pointers: is missing'],
    [
      { allow: [{ pointers: [], values: ['1'] }] },
      '.allow[0].pointers: is empty: write where a fact names its account',
    ],
    [
      { allow: [{ pointers: 'a', values: ['1'] }] },
      '.allow[0].pointers: must be a JSON Pointer (RFC 6901): start it with "/", such as /status/atual',
    ],
    [
      { allow: [{ pointers: '/a', values: [] }] },
      '.allow[0].values: is empty, so every fact would be quarantined: write your accounts or keys',
    ],
    [{ allow: [{ pointers: '/a', values: [12345] }] }, `.allow[0].values[0]: ${QUOTES}`],
    [{ allow: [{ pointers: '/a', values: [''] }] }, '.allow[0].values[0]: is empty: write an account or a key'],
  ])('The accounts %j are refused', (accounts, expected) => {
    const found = mistakes(kind({ path: '/x', accounts }))
    expect(found).toEqual([expect.stringContaining(`callbacks.kinds.openBanking.accounts${expected}`)])
  })

  test.each([
    ['status', 'status: must be a JSON Pointer (RFC 6901): start it with "/", such as /status/atual'],
    ['/a~2', 'status: must be a JSON Pointer (RFC 6901): write "~" as "~0" and a "/" inside a name as "~1"'],
    ['/a~', 'status: must be a JSON Pointer (RFC 6901): write "~" as "~0" and a "/" inside a name as "~1"'],
    [['/ok', 7], 'status[1]: must be a JSON Pointer (RFC 6901), such as /status/atual'],
    [7, 'status: must be a list: write its entries in [ ], or one a line, each behind "- "'],
  ])('The pointer %j is refused', (status, expected) => {
    expect(mistakes(kind({ path: '/x', status }))).toEqual([`callbacks.kinds.openBanking.${expected}`])
  })

  test.each(['/', '/callbacks/open-banking', '/a%20b', '/a//b/'])('The path %s is allowed', (path) => {
    expect(load(kind({ path })).callbacks.kinds[0]?.path).toBe(path)
  })

  test.each(['/a?b', '/a#b', '/a b', '/a\u0000b', '/a\n', '/é'])('The path %j is refused', (path) => {
    expect(mistakes(kind({ path }))).toEqual([
      'callbacks.kinds.openBanking.path: must be a path without "?", "#", spaces, control characters and letters outside ASCII ' +
        '(percent-encode those)',
    ])
  })

  test('A path must begin with a slash', () => {
    expect(mistakes(kind({ path: 'x' }))).toEqual([
      'callbacks.kinds.openBanking.path: must start with "/", such as /callbacks/payment',
    ])
  })

  test.each(['probe', 'operator'])('The name %s is reserved', (name) => {
    expect(mistakes(minimumWith(`callbacks.kinds.${name}`, { path: '/x' }))).toEqual([
      `callbacks.kinds.${name}: is reserved for the gateway's own events: choose another name`,
    ])
  })

  test.each([
    ['Payment', '.Payment'],
    ['pay_ment', '.pay_ment'],
    ['1payment', '[…]'],
    ['a'.repeat(33), '[…]'],
  ])('The name %s is refused', (name, shown) => {
    expect(mistakes(minimumWith(`callbacks.kinds.${name}`, { path: '/x' }))).toEqual([
      `callbacks.kinds${shown}: is not a name for a kind: start with a small letter, then up to 31 letters, digits and hyphens`,
    ])
  })

  test('There must be a kind', () => {
    expect(mistakes(minimumWith('callbacks.kinds', {}))).toEqual([
      'callbacks.kinds: names no kind, so no path could be called: add one, such as `payment: { path: /callbacks/payment }`',
    ])
  })

  test.each([
    ['/callbacks/payment', '/callbacks/payment'],
    ['//callbacks//payment/', '/callbacks/payment'],
    ['/callbacks/payment/pix', '/callbacks/payment/pix'],
  ])('Two kinds that could match one path are refused: %s', (path, conflict) => {
    expect(mistakes(minimumWith('callbacks.kinds.other', { path }))).toEqual([
      `callbacks.kinds.other.path: ${conflict} could be kind payment or kind other: give each its own path`,
    ])
  })

  test('Without that suffix the same two paths are allowed', () => {
    const config = minimumWith('callbacks.kinds.other', { path: '/callbacks/payment/pix' }) as {
      callbacks: { suffixes?: string[] }
    }
    config.callbacks.suffixes = ['/rec']
    expect(load(config).callbacks.kinds.length).toBe(4)
  })
})

describe('charge notifications', () => {
  const HEX = '0123456789abcdef'.repeat(4)
  const SHORT = 'abcdefghijklmnopqrstuv'
  const section = { host: '0.0.0.0', port: 8444, tokens: [{ environment: 'production', tokenFile: 'token' }] }
  const withSection = (changes: object = {}) => minimumWith('chargeNotifications', { ...section, ...changes })

  test.each([HEX, `${HEX}\n`, SHORT, 'A-_z'.repeat(6)])('The token is read from its file: %j', (token) => {
    expect(load(withSection(), { token }).chargeNotifications).toEqual({
      host: '0.0.0.0',
      port: 8444,
      publicUrl: null,
      tls: null,
      tokens: [{ environment: 'production', token: token.trim() }],
      pathTokens: [],
      allowedAddresses: [],
      proxyProtocol: [],
    })
  })

  test.each(['', 'short', '0'.repeat(31), `${HEX} ${HEX}`, `${SHORT}/`])(
    'A token that could be guessed is refused: %j',
    (token) => {
      expect(mistakes(withSection(), { token })).toEqual([
        'chargeNotifications.tokens[0].tokenFile: its file must hold one token that cannot be guessed, at least 128 bits: ' +
          'create one with `openssl rand -hex 32`',
      ])
    },
  )

  test('A token file that is not there is reported without repeating what was written', () => {
    const problems = mistakes(withSection({ tokens: [{ environment: 'production', tokenFile: HEX }] }))
    expect(problems).toEqual([
      expect.stringMatching(
        /^chargeNotifications\.tokens\[0\]\.tokenFile: names a file that cannot be read: it does not exist: create it or correct the path \(relative paths begin at /,
      ),
    ])
    expect(problems[0]).not.toContain(HEX)
  })

  test('Two equal tokens are refused', () => {
    const tokens = ['production', 'sandbox'].map((environment) => ({ environment, tokenFile: `${environment}` }))
    expect(mistakes(withSection({ tokens }), { production: HEX, sandbox: `${HEX}\n` })).toEqual([
      'chargeNotifications.tokens[1].tokenFile: holds the same token as an entry above: make another with `openssl rand -hex 32`',
    ])
  })

  const PATH_TOKEN = { environment: 'sandbox', kind: 'payment', tokenFile: 'other' }

  test('Other kinds have tokens too, alone or beside those of charges', () => {
    const config = withSection({ tokens: undefined, pathTokens: [PATH_TOKEN] }) as { callbacks: { kinds: object } }
    config.callbacks.kinds = { payment: { path: '/callbacks/payment' } }
    expect(load(config, { other: SHORT }).chargeNotifications).toMatchObject({
      tokens: [],
      pathTokens: [{ environment: 'sandbox', kind: 'payment', token: SHORT }],
    })
  })

  test('No token may be that of a charge as well, and each needs a kind of the configuration', () => {
    const pathTokens = [PATH_TOKEN, { ...PATH_TOKEN, kind: 'paymnt', tokenFile: 'third' }]
    expect(mistakes(withSection({ pathTokens }), { token: HEX, other: HEX, third: SHORT })).toEqual([
      'chargeNotifications.pathTokens[0].tokenFile: holds the same token as an entry above: make another with `openssl rand -hex 32`',
      'chargeNotifications.pathTokens[1].kind: is not a kind of callbacks.kinds; did you mean "payment"?',
    ])
  })

  test('There must be a token', () => {
    expect(mistakes(withSection({ tokens: [] }))).toEqual([
      'chargeNotifications.tokens: names no token, so no caller could be accepted: add `- environment` with its `tokenFile`',
    ])
  })

  test('It needs the kind charge', () => {
    const config = withSection() as { callbacks: { kinds: object } }
    config.callbacks.kinds = { payment: { path: '/callbacks/payment' } }
    expect(mistakes(config, { token: HEX })).toEqual([
      'chargeNotifications: needs the kind "charge": add `charge: { path: /callbacks/charge }` to callbacks.kinds',
    ])
  })

  test('TLS needs both files', () => {
    const tls = { certificate: '/a.crt', privateKey: '/a.key' }
    expect(load(withSection(tls), { token: HEX }).chargeNotifications?.tls).toEqual(tls)
    expect(mistakes(withSection({ privateKey: '/a.key' }), { token: HEX })).toEqual([
      'chargeNotifications.certificate: is missing: TLS needs both certificate and privateKey',
    ])
  })

  test.each(['allowedAddresses', 'proxyProtocol'] as const)('Networks or addresses are in %s', (key) => {
    const networks = ['192.0.2.0/24', '2001:db8::1']
    expect(load(withSection({ [key]: networks }), { token: HEX }).chargeNotifications?.[key]).toEqual(networks)
    expect(mistakes(withSection({ [key]: ['x'] }), { token: HEX })).toEqual([
      `chargeNotifications.${key}[0]: the text is not a network: write it like 10.0.0.0/8, fd00::/8, 192.0.2.7 or loopback`,
    ])
  })
})

describe('listeners', () => {
  test.each([
    ['0.0.0.0', 8443, '127.0.0.1', true],
    ['::', 8443, '127.0.0.1', true],
    ['localhost', 8443, '127.0.0.1', true],
    ['127.0.0.1', 8443, 'localhost', true],
    ['0:0:0:0:0:0:0:1', 8443, '::1', true],
    ['::ffff:127.0.0.1', 8443, '127.0.0.1', true],
    ['0:0:0:0:0:0:0:0', 8443, '127.0.0.1', true],
    ['0.0.0.0', 8443, '::1', false],
    ['127.0.0.2', 8443, '127.0.0.1', false],
    ['0.0.0.0', 0, '127.0.0.1', false],
    ['0.0.0.0', 8444, '127.0.0.1', false],
  ])('one port on %s:%i and for the API on %s at the same port: a mistake is %j', (host, port, apiHost, isMistake) => {
    const both = {
      ...minimum(),
      callbacks: { ...minimum().callbacks, host, port },
      api: { host: apiHost, port: port === 8444 ? 8443 : port },
    }
    const expected = `api.port: is the port of callbacks, and ${apiHost} and ${host} share an address: write another one`
    if (isMistake) expect(mistakes(both)).toEqual([expected])
    else expect(load(both).api.host).toBe(apiHost)
  })
})
