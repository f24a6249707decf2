import { describe, expect, it } from 'vitest'
import { expectedIn, requestsFor } from '../../../src/cli/service/expected-file.ts'
import { reconciledOf } from '../../api/api.ts'

const KINDS = [reconciledOf('production'), reconciledOf('sandbox'), reconciledOf('bank-a/sandbox')]
const read = (text: string) =>
  expectedIn(text, 'ids.csv', KINDS).map(({ expected, subjects }) => [expected, [...subjects]])

const HEADER = 'kind,environment,subject'
const PAYMENT = { kind: 'payment', environment: 'production', type: 'payment' }

describe('a file of expected ids', () => {
  it.each([
    ['with CRLF', `${HEADER}\r\npayment,production,7\r\npayment,production,8\r\n`],
    ['without a line break at the end', `${HEADER}\npayment,production,7\npayment,production,8`],
    ['with a byte order mark', `\uFEFF${HEADER}\npayment,production,7\npayment,production,8\n`],
    ['with quotes', `"kind","environment","subject"\n"payment","production","7"\npayment,production,"8"\n`],
    ['with semicolons', 'kind;environment;subject\npayment;production;7\npayment;production;8\n'],
    ['with the names of the documents', `${HEADER}\npayment,Produção,7\npayment,producao,8\n`],
    ['in another order and case', 'Subject,KIND,Environment\n7,payment,production\n8,payment,production\n'],
    [
      'with empty lines and repetitions',
      `${HEADER}\n\npayment,production,7\npayment,production,8\n\npayment,production,7\n`,
    ],
  ])('%s', (_form, text) => {
    expect(read(text)).toEqual([[PAYMENT, ['7', '8']]])
  })

  it('keeps kinds, environments, institutions and types apart', () => {
    const text = `${HEADER},type,institution\ncharge,sandbox,1,,\ncharge,sandbox,2,carnet,\ncharge,sandbox,3,charge,bank-a\ncharge,sandbox,4,charge,\n`
    expect(read(text)).toEqual([
      [{ kind: 'charge', environment: 'sandbox', type: 'charge' }, ['1', '4']],
      [{ kind: 'charge', environment: 'sandbox', type: 'carnet' }, ['2']],
      [{ kind: 'charge', environment: 'bank-a/sandbox', type: 'charge' }, ['3']],
    ])
  })

  it.each([
    [
      'payments,production,7',
      /^line 3: kind "payments" is not reconciled there; those that are: payment \(production\)/,
    ],
    ['payment,staging,7', /^line 3: environment "staging" is neither/],
    ['payment,production,', /^line 3: subject must not be empty/],
    ['payment,production', /^line 3: it has 2 values, and the header 3/],
    ['payment,production,7,8', /^line 3: it has 4 values/],
    ['payment,production,"7', /^line 3: subject has a quote that is not closed/],
    [`payment,production,${'x'.repeat(201)}`, /^line 3: subject must have at most 200/],
    ['payment,production,a\tb\u0007', /^line 3: subject must not have control characters/],
  ])('is refused as a whole for the line %j', (line, words) => {
    const mistake = expect.objectContaining({ code: 'conflict', details: [expect.stringMatching(words)] })
    expect(() => read(`${HEADER}\npayment,production,6\n${line}\npayment,production,9\n`)).toThrow(mistake)
  })

  it('is refused for a type that the kind does not have', () => {
    const line = (words: RegExp) => expect.objectContaining({ details: [expect.stringMatching(words)] })
    expect(() => read(`${HEADER},type\npayment,production,6,carnet\n`)).toThrow(
      line(/^line 2: type is only for charge/),
    )
    expect(() => read(`${HEADER},type\ncharge,production,6,bill\n`)).toThrow(line(/^line 2: type "bill" is none of/))
  })

  it('names the first lines of many', () => {
    const many = Array.from({ length: 8 }, () => 'payment,production,').join('\n')
    expect(() => read(`${HEADER}\n${many}`)).toThrow(
      expect.objectContaining({ details: expect.arrayContaining([expect.stringMatching(/^line 2:/), 'and 3 more']) }),
    )
  })

  it.each([
    '',
    'kind,subject\npayment,7\n',
    'kind,environment,subject,id\n',
    'kind,kind,environment,subject\n',
    'payment,production,7\n',
  ])('with the first line of %j has no header', (text) =>
    expect(() => read(text)).toThrow(/ids\.csv, line 1: the header must be/),
  )

  it('with a header alone has nothing to take', () => {
    expect(() => read(`${HEADER}\n`)).toThrow(/no line below its header/)
  })
})

it('requests have as many subjects as fit, each once, and the type only of charges', () => {
  const subjects = new Set(Array.from({ length: 100_000 }, (_, index) => `é${index}`))
  const most = { subjects: 5000, bytes: 60_000 }
  const expected = { kind: 'payment', environment: 'bank-a/sandbox', type: 'payment' } as const
  const requests = requestsFor({ expected, subjects }, most) as { subjects: string[] }[]
  expect(requests.flatMap((request) => request.subjects)).toEqual([...subjects])
  for (const request of requests) {
    expect(request.subjects.length).toBeLessThanOrEqual(most.subjects)
    expect(Buffer.byteLength(JSON.stringify(request))).toBeLessThan(65_536)
    expect(Object.keys(request)).toEqual(['kind', 'institution', 'environment', 'subjects'])
  }
  const carnet = { kind: 'charge', environment: 'sandbox', type: 'carnet' } as const
  expect(requestsFor({ expected: carnet, subjects: new Set(['1']) }, most)).toEqual([
    { kind: 'charge', environment: 'sandbox', type: 'carnet', subjects: ['1'] },
  ])
})
