import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { routesOf } from '../../src/config/config.ts'
import { PRESETS, readPreset } from '../../src/config/presets.ts'
import { compileInterpreter } from '../../src/domain/interpretation.ts'
import { errorOf, load, minimum, mistakes } from './files.ts'

const FOLDER = join(import.meta.dirname, '../../config/institutions')
const TRUST = [{ environment: 'production', chain: 'bank.pem' }]

function withInstitutions(...institutions: object[]): object {
  return { ...minimum(), institutions }
}

describe.each(PRESETS)('the preset %s', (preset) => {
  it('is complete but for the chains', () => {
    const config = load(withInstitutions({ name: 'bank', preset, trust: TRUST }))
    const kinds = config.callbacks.kinds.filter(({ institution }) => institution === 'bank')
    expect(kinds.length).toBeGreaterThan(0)
    for (const { path, personalData } of kinds) {
      expect(path).toMatch(/^\/bank\/[a-z]/)
      expect(personalData).not.toBeNull()
    }
  })

  it('says in its data and in a comment where it comes from, and where the chain is', () => {
    const { about, institution } = readPreset(preset)
    const comments = readFileSync(join(FOLDER, `${preset}.yaml`), 'utf8').replaceAll(/^(?!#).*$/gm, '')
    expect(about.sources.length).toBeGreaterThan(0)
    expect(about.read).toMatch(/^20\d\d-\d\d-\d\d$/)
    expect(comments).toContain(`Read on ${about.read}`)
    expect(about.chain).toMatch(/\w/)
    expect(institution).not.toHaveProperty('trust')
  })

  it('without a chain says where to get it', () => {
    expect(mistakes(withInstitutions({ name: 'bank', preset }))).toEqual([
      expect.stringMatching(/^institutions\[0\]\.trust: names no chain/),
    ])
    expect(mistakes(withInstitutions({ name: 'bank', preset }))[0]).toContain(readPreset(preset).about.chain)
  })
})

it('every file of the folder is a preset', () => {
  expect(readdirSync(FOLDER).toSorted()).toEqual(PRESETS.map((name) => `${name}.yaml`).toSorted())
})

it('a key that is written replaces that of the preset, within groups key by key', () => {
  const kinds = {
    pix: { split: ['/outros'], accounts: { allow: [{ pointers: '/chave', values: ['a'] }] } },
    other: { path: '/o' },
  }
  const config = load(
    withInstitutions({
      name: 'bank',
      preset: 'instant-payment',
      trust: TRUST,
      suffixes: [],
      kinds,
      answer: { status: 202 },
    }),
  )
  const [bank] = config.institutions
  expect(bank).toEqual({
    name: 'bank',
    suffixes: [],
    answer: { status: 202, body: '200', echoHeaders: [], withinMs: null, validation: null },
    givesUpAfterMs: null,
  })
  const [pix, rec] = config.callbacks.kinds.filter(({ institution }) => institution === 'bank')
  expect(pix).toMatchObject({
    path: '/bank/pix',
    split: ['/outros'],
    subject: ['/endToEndId', '/txid'],
    accounts: [{ pointers: ['/chave'], values: ['a'] }],
  })
  expect(rec).toMatchObject({ path: '/bank/rec', split: ['/recs', ''] })
  expect(config.callbacks.kinds.at(-1)).toMatchObject({ name: 'other', path: '/o' })
})

it('says how long the institution sends a callback again, where that is known', () => {
  const of = (changes: object) =>
    load(withInstitutions({ name: 'bank', trust: TRUST, ...changes })).institutions[0]?.givesUpAfterMs
  expect(PRESETS.map((preset) => [preset, of({ preset })])).toEqual([
    ['instant-payment', null],
    // Attempts at once, after 10 s and after 60 s more.
    ['open-finance', 70_000],
    ['service', 325 * 60_000],
  ])
  expect(of({ preset: 'instant-payment', givesUpAfter: '3h' })).toBe(10_800_000)
})

describe('callbacks of instant payments', () => {
  const read = (target: string, body: unknown) => {
    const config = load(withInstitutions({ name: 'bank', preset: 'instant-payment', trust: TRUST }))
    const kind = routesOf(config)('bank/production', target)
    const rule = config.callbacks.kinds.find(({ institution, name }) => institution === 'bank' && name === kind)
    if (rule === undefined) throw new TypeError(`no kind is at ${target}`)
    const { facts } = compileInterpreter(rule)({
      body: Buffer.from(JSON.stringify(body)),
      contentType: 'application/json',
      environment: 'bank/production',
      listener: 'callbacks',
    })
    return facts.map(({ kind: name, subject, status }) => [name, subject, status])
  }
  const pix = (...ids: string[]) => ids.map((endToEndId) => ({ endToEndId }))
  const rec = { recs: [{ idRec: 'RR1', status: 'APROVADA' }] }
  const refund = { status: 'DEVOLVIDO' }

  it.each<[string, string, unknown, unknown]>([
    ['an object', '/bank/pix', { pix: pix('E1') }, [['pix', 'E1', null]]],
    [
      'the bare list',
      '/bank/pix',
      pix('E1', 'E2'),
      [
        ['pix', 'E1', null],
        ['pix', 'E2', null],
      ],
    ],
    ['the bare list of one', '/bank/pix', pix('E1'), [['pix', 'E1', null]]],
    ['a bare list of recurrences', '/bank/rec', rec.recs, [['rec', 'RR1', 'APROVADA']]],
    ['an empty object as a test', '/bank/pix', {}, [['probe', null, null]]],
    ['an empty list as a test', '/bank/pix', { pix: [] }, [['probe', null, null]]],
    ['a bare empty list as a test', '/bank/cobr', [], [['probe', null, null]]],
    ['an empty list beside something', '/bank/pix', { pix: [], fim: 'x' }, [['pix', null, null]]],
    ['a suffix of its own kind', '/bank/pix/pix', { pix: pix('E1') }, [['pix', 'E1', null]]],
    ['a suffix of another webhook', '/bank/pix/rec', rec, [['rec', 'RR1', 'APROVADA']]],
    ['a suffix of payments', '/bank/cobr/pix', { pix: pix('E1') }, [['pix', 'E1', null]]],
    ['a refund', '/bank/pix', { pix: [{ endToEndId: 'E1', devolucoes: [refund] }] }, [['pix', 'E1', 'DEVOLVIDO']]],
  ])('%s at %s is read', (_what, target, body, expected) => {
    expect(read(target, body)).toEqual(expected)
  })
})

it('two institutions may have the same preset', () => {
  const bank = (name: string) => ({ name, preset: 'open-finance', trust: TRUST })
  const { callbacks } = load(withInstitutions(bank('a'), bank('b')))
  expect(callbacks.kinds.filter(({ name }) => name === 'enrollment').map(({ path }) => path.split('/')[1])).toEqual([
    'a',
    'b',
  ])
})

describe('mistakes', () => {
  const of = (entry: object) =>
    mistakes(withInstitutions({ name: 'bank', preset: 'open-finance', trust: TRUST, ...entry }))

  it('a preset that does not exist is named, with the one that was probably meant', () => {
    expect(of({ preset: 'open-finanse' })).toEqual([
      'institutions[0].preset: must be one of instant-payment, open-finance, service; did you mean "open-finance"?',
    ])
  })

  it('keep their lines and suggestions beside the keys of the preset', () => {
    const text = stringify(withInstitutions({ name: 'bank', preset: 'open-finance', trust: TRUST, limit: {} }))
    const line = text.split('\n').findIndex((one) => one.includes('limit: {}')) + 1
    expect(errorOf(() => load(text)).details).toEqual([
      `institutions[0].limit (line ${line}): unknown key; did you mean "limits"?`,
    ])
    expect(of({ kinds: { enrolment: { subject: 'x' } } })).toEqual([
      'institutions[0].kinds.enrolment.path: is missing: write a path such as /callbacks/payment',
      'institutions[0].kinds.enrolment.subject: must be a JSON Pointer (RFC 6901): start it with "/", such as /status/atual',
    ])
    expect(of({ kinds: null })).toEqual([expect.stringMatching(/^institutions\[0\]\.kinds: names no kind/)])
  })

  it.each([
    [{ status: 204 }, 'status: must be 200 or 202'],
    [{ body: 'ok\r\nx: y' }, 'body: must be text of printable ASCII, at most 1,024 characters, in quotes'],
    [{ body: 200 }, 'body: must be text of printable ASCII, at most 1,024 characters, in quotes'],
    [
      { echoHeaders: ['content-length'] },
      'echoHeaders[0]: must be the name of a header that begins with x-: letters, digits and hyphens, at most 64',
    ],
    [
      { echoHeaders: ['x-a\nb'] },
      'echoHeaders[0]: must be the name of a header that begins with x-: letters, digits and hyphens, at most 64',
    ],
    [{ validation: 'head' }, 'validation: must be get'],
    [{ echoHeaders: Array.from({ length: 9 }, (_, n) => `x-${n}`) }, 'echoHeaders: must be at most 8 headers'],
  ])('in an answer: %j', (answer, problem) => {
    expect(of({ answer })).toEqual([`institutions[0].answer.${problem}`])
  })

  it('a time after which no institution would give up', () => {
    expect(of({ givesUpAfter: '0s' })).toEqual(['institutions[0].givesUpAfter: must be from 1s to 3650d'])
  })

  it('a path token at a path that varies', () => {
    const files = { token: 'f'.repeat(64) }
    const pathTokens = [{ institution: 'bank', environment: 'production', kind: 'enrollment', tokenFile: 'token' }]
    const data = {
      ...withInstitutions({ name: 'bank', preset: 'open-finance', trust: TRUST }),
      chargeNotifications: { host: '127.0.0.1', port: 0, pathTokens },
    }
    expect(mistakes(data, files)).toEqual([
      'chargeNotifications.pathTokens[0].kind: has a path with a variable segment, behind which no token can be: it needs mutual TLS',
    ])
  })
})
