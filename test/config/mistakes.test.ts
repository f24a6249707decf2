import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { stringify } from 'yaml'
import { configFile, loadConfig } from '../../src/config/load-config.ts'
import { reasonOf } from '../../src/config/secret-files.ts'
import { directory, errorOf, load, minimum, minimumWith, mistakes } from './files.ts'

describe('unknown keys', () => {
  test.each([
    ['callbakcs', '', 'callbakcs: unknown key; did you mean "callbacks"?'],
    ['callbacks.kinds.payment.pth', '/x', 'callbacks.kinds.payment.pth: unknown key; did you mean "path"?'],
    ['callbacks.trust.0.chian', 'x', 'callbacks.trust[0].chian: unknown key; did you mean "chain"?'],
    [
      'callbacks.limits.handshaketimeout',
      '1s',
      'callbacks.limits.handshaketimeout: unknown key; did you mean "handshakeTimeout"?',
    ],
    ['api.hostname', 'x', 'api.hostname: unknown key; did you mean "hostNames"?'],
    ['api.key', 'x', 'api.key: unknown key; did you mean "privateKey"?'],
    ['log.colour', 'x', 'log.colour: unknown key; known here: level'],
  ])('%s is refused and the likely one suggested', (path, value, expected) => {
    expect(mistakes(minimumWith(path, value))).toContain(expected)
  })
})

describe('usage: any', () => {
  const PROBLEM =
    "callbacks.trust[0].usage: is any, so every certificate of the chain's authority could call: say who the caller is, under allow (subjectCommonNames, subjectAlternativeNames, subject or fingerprints), or write client"
  const chain = { environment: 'production', chain: 'production.pem', usage: 'any' }

  test.each([
    ['without allow', {}, [PROBLEM]],
    ['with an empty allow', { allow: { subjectCommonNames: [] } }, [PROBLEM]],
  ])('%s', (_what, allow, expected) => {
    expect(mistakes(minimumWith('callbacks.trust', [{ ...chain, ...allow }]))).toEqual(expected)
  })

  test('with an allow that says who is right', () => {
    const allow = { subjectCommonNames: ['calls'] }
    expect(load(minimumWith('callbacks.trust', [{ ...chain, allow }])).callbacks.trust[0]?.usage).toBe('any')
  })
})

describe('serial numbers under deny', () => {
  const denying = (serial: unknown) =>
    minimumWith('callbacks.trust', [{ environment: 'production', chain: 'a.pem', deny: { serials: [serial] } }])

  test.each([
    ['00:AB:cd', 'abcd'],
    ['0x00ABCD', 'abcd'],
    ['abc', 'abc'],
    ['-0A', '-a'],
    ['0', '0'],
    ['000', '0'],
    ['1234', '1234'],
  ])('%s is %s', (written, expected) => {
    expect(load(denying(written)).callbacks.trust[0]?.deny.serials).toEqual([expected])
  })

  test.each([1234, 'xyz', '', ':', '--1', 'a b', 'f'.repeat(65), null])('%s is none', (written) => {
    expect(mistakes(denying(written))).toEqual([expect.stringMatching(/^callbacks\.trust\[0\]\.deny\.serials\[0\]: /)])
  })
})

test('What is there misspelt is not reported as missing too', () => {
  const config = minimum() as Record<string, Record<string, unknown>>
  const { kinds, host, ...callbacks } = config.callbacks as Record<string, unknown>
  const misspelt = {
    ...config,
    callbacks: { ...callbacks, kindz: kinds, hots: host },
    stroage: config.storage,
    storage: undefined,
    destinations: [{ name: 'app', ulr: 'https://app.example/', kindz: ['payment'] }],
  }
  expect(mistakes(misspelt).toSorted()).toEqual([
    'callbacks.hots: unknown key; did you mean "host"?',
    'callbacks.kindz: unknown key; did you mean "kinds"?',
    'destinations[0].kindz: unknown key; did you mean "kinds"?',
    'destinations[0].ulr: unknown key; did you mean "url"?',
    'stroage: unknown key; did you mean "storage"?',
  ])
})

test('What is wrong with a key is reported, though another looks like it', () => {
  expect(mistakes(minimumWith('callbacks.prot', 1))).toEqual(['callbacks.prot: unknown key; did you mean "port"?'])
  const config = minimumWith('callbacks.prot', 1) as { callbacks: { port: unknown } }
  config.callbacks.port = 'x'
  expect(mistakes(config).toSorted()).toEqual([
    'callbacks.port: must be a whole number from 0 to 65535',
    'callbacks.prot: unknown key; did you mean "port"?',
  ])
})

describe('required keys', () => {
  test.each([
    ['callbacks', 'callbacks: is missing'],
    ['callbacks.host', 'callbacks.host: is missing: write an address or a host name, such as 127.0.0.1'],
    [
      'callbacks.certificate',
      "callbacks.certificate: is missing: write the path of this server's certificate, PEM with its full chain",
    ],
    [
      'callbacks.kinds',
      'callbacks.kinds: names no kind, so no path could be called: add one, such as `payment: { path: /callbacks/payment }`',
    ],
    ['callbacks.trust.1.chain', "callbacks.trust[1].chain: is missing: write the path of the service's chain, PEM"],
    ['storage', 'storage: is missing'],
    [
      'storage.url',
      'storage.url: is missing: write sqlite: and the path of the database file, such as sqlite:../data/portaria.db; or postgres://USER@HOST:PORT/DATABASE',
    ],
  ])('%s must be there', (path, expected) => {
    expect(mistakes(minimumWith(path, undefined))).toEqual([expected])
  })

  test.each([
    ['api', 'api: has no value: write one, or remove the key'],
    ['api.port', 'api.port: has no value: write a whole number from 0 to 65535, or remove the key'],
    ['destinations', 'destinations: has no value: write one, or remove the key'],
  ])('%s without a value is distinguished from a wrong value', (path, expected) => {
    expect(mistakes(minimumWith(path, null))).toEqual([expected])
  })
})

test('All mistakes are reported together, in the order of the file, each with its path and line', () => {
  const text = `mode: prod
callbacks:
  host: 0.0.0.0
  port: 99999
  certificate: a.crt
  privateKey: a.key
  trust:
    - { environment: production, chain: a.pem }
  kinds:
    payment:
      path: callbacks/payment
      status: status/atual
    other: { path: /other }
    another: { path: /other/pix }
storage: { url: "sqlite:a.db" }
api: { host: 0.0.0.0 }
forwarding: { timeout: 10 }
destinations:
  - name: app
    url: https://app.example/
    kinds: [paymnt]
log:
  levle: info
`
  const error = errorOf(() => load(text))
  expect(error.code).toBe('configuration_invalid')
  expect(error.message).toMatch(
    /^the configuration file .*portaria\.yaml has 9 mistakes: config\/portaria\.yaml explains/,
  )
  expect(error.details).toEqual([
    'mode (line 1): must be one of production, development; did you mean "production"?',
    'callbacks.port (line 4): must be a whole number from 0 to 65535',
    'callbacks.kinds.payment.path (line 11): must start with "/", such as /callbacks/payment',
    'callbacks.kinds.payment.status (line 12): must be a JSON Pointer (RFC 6901): start it with "/", such as /status/atual',
    'callbacks.kinds.another.path (line 14): /other/pix could be kind other or kind another: give each its own path',
    'api.host (line 16): is not a loopback address, so the API must have TLS: add certificate and privateKey, or write 127.0.0.1',
    'forwarding.timeout (line 17): has no unit: write for example "10s" for seconds or "10ms" for milliseconds',
    'destinations[0].kinds[0] (line 21): is not a kind of callbacks.kinds; did you mean "payment"?',
    'log.levle (line 23): unknown key; did you mean "level"?',
  ])
})

describe('the file itself', () => {
  test('A missing file is named, with what to do', () => {
    const file = join(directory(), 'nothing.yaml')
    expect(errorOf(() => loadConfig(file)).message).toBe(
      `the configuration file ${file} cannot be read: it does not exist: create it or correct the path; ` +
        '--config FILE or PORTARIA_CONFIG names it, config/portaria.yaml explains every key',
    )
  })

  test('A directory is not a configuration file', () => {
    const file = join(directory(), 'portaria.yaml')
    mkdirSync(file)
    expect(errorOf(() => loadConfig(file)).message).toContain('it is a directory: name a file')
  })

  test('A file that may not be read is distinguished', () => {
    // Root may read everything, so the system's answer is here for a real file of somebody else.
    const denied = Object.assign(new Error('denied'), { code: 'EACCES' })
    expect(reasonOf(denied)).toMatch(/^this user may not read it: (?!.*chmod).* as root/)
  })

  test.each([
    ['', 'is empty: begin with config/portaria.yaml'],
    ['# nothing but a comment\n', 'is empty: begin with config/portaria.yaml'],
    ['caf\u00e9: 1', 'is not UTF-8 text: save it as UTF-8'],
    [' '.repeat(4 * 1024 * 1024 + 1), 'is longer than 4 MiB: is it the right file?'],
    ['[production]', 'has one mistake'],
  ])('A file that is no configuration is refused (%#)', (text, expected) => {
    const path = directory()
    const file = join(path, 'portaria.yaml')
    writeLatin1(file, text)
    expect(errorOf(() => loadConfig(file)).message).toContain(expected)
  })

  test.each([
    ['mode: production\nmode: development', 'line 2: this key is there twice: keep one of them'],
    ['api:\n\tport: 1', 'line 2: a tab is used to indent: use spaces'],
    ['mode: production\n---\nmode: production', 'line 2: a second document begins (---): keep one'],
    ['mode: !!js/function x', 'line 1: tags (!…) are not allowed: write plain values'],
    ['mode: [production', 'line 1: Flow sequence in block collection must be sufficiently indented and end with a ]'],
    ['callbacks: { kinds: { __proto__: { path: /x } } }', 'the key "__proto__" is not allowed: remove it'],
  ])('What is not plain YAML is refused with its line: %j', (text, expected) => {
    const error = errorOf(() => load(text))
    expect(error.message).toContain('is not valid YAML: correct these lines')
    expect(error.details).toContain(expected)
  })

  test('Aliases that multiply are refused at once', () => {
    const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x, x]']
    for (let depth = 1; depth < 12; depth++) {
      const aliases = Array.from({ length: 10 }, () => `*a${depth - 1}`)
      lines.push(`a${depth}: &a${depth} [${aliases.join(', ')}]`)
    }
    expect(errorOf(() => load(lines.join('\n'))).message).toContain('write it without anchors (&) and aliases (*)')
  })

  test('Nesting without end is refused', () => {
    expect(errorOf(() => load('['.repeat(100_000))).code).toBe('configuration_invalid')
  })

  test('A few aliases are allowed', () => {
    const text = JSON.stringify(minimum()).replace('"0.0.0.0"', '&host 127.0.0.1').replace('"127.0.0.1"', '*host')
    expect(load(text).api.host).toBe('127.0.0.1')
  })

  test('An alias of nothing is refused', () => {
    expect(errorOf(() => load('log: *whsec_abc')).message).toMatch(
      /cannot be read: Unresolved alias.*; write it without/,
    )
  })

  test('Syntax errors never quote the file', () => {
    const error = errorOf(() => load('destinations:\n  - secret: "whsec_abc" whsec_abc\n  ] whsec_abc: *whsec_abc\n'))
    expect(JSON.stringify([error.message, error.details, String(error.cause)])).not.toContain('whsec_')
  })
})

describe('characters that come with copied text', () => {
  const whole = 'mode: production\ncallbacks:\n  host: 127.0.0.1\n  port: 8443\n'

  test.each([
    ['indentation', whole.replace('  port', '\u00a0\u00a0port'), 'line 4: non-breaking spaces (U+00A0)'],
    ['all indentation', whole.replaceAll('  ', '\u00a0\u00a0'), 'lines 3, 4: non-breaking spaces (U+00A0)'],
    ['the space behind a colon', whole.replace('host: ', 'host:\u202f'), 'line 3: non-breaking spaces (U+202F)'],
    ['a wide space', whole.replace('  port', '\u3000port'), 'line 4: spaces that are none in YAML (U+3000)'],
    ['a key', whole.replace('port', 'po\u200brt'), 'line 4: characters without width (U+200B)'],
    [
      'a byte order mark inside',
      whole.replace('callbacks', '\ufeffcallbacks'),
      'line 2: characters without width (U+FEFF)',
    ],
    ['quotes around a value', whole.replace('127.0.0.1', '“127.0.0.1”'), 'line 3: typographic quotes (U+201C, U+201D)'],
  ])('%s: one mistake names them', (_, text, expected) => {
    expect(errorOf(() => load(text)).details).toEqual([
      `${expected}, as in text that was copied from a page: type ordinary spaces and quotes`,
    ])
  })

  test('a path that ends in one is a mistake, because no one sees why the file does not exist', () => {
    const certificate = 'certs/server.crt\u00a0'
    expect(errorOf(() => load(stringify(minimumWith('callbacks.certificate', certificate)))).details).toEqual([
      expect.stringMatching(/^line \d+: non-breaking spaces/),
    ])
  })

  test('comments and texts may hold them, and other mistakes are reported', () => {
    const text = `# “copied”\u00a0text\n${whole.replace('mode: production', 'mode: “x” # nothing').replace('“x”', 'x “y”\u00a0z')}`
    expect(errorOf(() => load(text)).details[0]).toMatch(/^mode \(line 2\): must be one of/)
  })
})

describe('a configuration that holds a key', () => {
  const body = 'MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg'.repeat(3)
  const key = `-----BEGIN PRIVATE KEY-----\n${body}\n-----END PRIVATE KEY-----\n`

  test.each([
    ['as its whole content', key],
    ['as a key', `${body}: x\n`],
    ['as a key in braces', `{ ${body} }\n`],
    ['behind an escape sequence', `log: "\\U${body}"\n`],
    ['as a directive', `%${body}\n`],
    ['as a network', JSON.stringify(minimumWith('forwarding.allowedNetworks', [body]))],
    ['in place of the path of a file', JSON.stringify(minimumWith('callbacks.privateKey', key))],
    ['in place of a path, as base64', JSON.stringify(minimumWith('callbacks.privateKey', body))],
    ['in place of a path, on one line', JSON.stringify(minimumWith('callbacks.privateKey', key.replaceAll('\n', ' ')))],
  ])('%s is refused without a part of it in any text', (_, text) => {
    const { message, details, cause } = errorOf(() => load(text))
    expect(JSON.stringify([message, details, String(cause)])).not.toContain(body.slice(0, 6))
  })
})

describe('where the file is', () => {
  test('--config goes before PORTARIA_CONFIG', () => {
    expect(configFile('/a.yaml', { PORTARIA_CONFIG: '/b.yaml' })).toBe('/a.yaml')
    expect(configFile(undefined, { PORTARIA_CONFIG: '/b.yaml' })).toBe('/b.yaml')
  })

  test('Without either it is the file of this clone', () => {
    const file = resolve(import.meta.dirname, '../../config/development.yaml')
    expect([configFile(undefined, { PORTARIA_CONFIG: '' }), configFile('', {})]).toEqual([file, file])
  })
})

function writeLatin1(file: string, text: string): void {
  writeFileSync(file, Buffer.from(text, 'latin1'))
}
