import { describe, expect, it } from 'vitest'
import { checkId, idsOf } from '../../../src/cli/service/id-files.ts'

const ids = (text: string) => idsOf(text, 'charge_id', 'ids.csv')

describe('ids of a file', () => {
  it.each([
    ['one per line', '1\n2\n', ['1', '2']],
    ['without a line break at the end', '1\n2', ['1', '2']],
    ['a header of the first column', 'charge\n1\n2\n', ['1', '2']],
    ['the named column, in any place and case', 'name,"Charge_ID",total\r\nBook,7,15010\r\nPen,8,100\r\n', ['7', '8']],
    ['semicolons, quotes and a byte order mark', '\uFEFFname;charge_id\n"a;b";"7"\n', ['7']],
    ['tabs', 'charge_id\tname\n7\tx\n', ['7']],
    ['empty lines and repetitions', '1\n\n2\n1\n  \n', ['1', '2']],
    ['ids beyond the numbers of JavaScript', '9007199254740993\n', ['9007199254740993']],
  ])('%s', (_form, text, found) => {
    expect(ids(text)).toEqual(found)
  })

  it('are refused as a whole where a line has none, with the lines', () => {
    expect(() => ids('charge_id,name\n1,a\nx2,b\n,c\n')).toThrow(
      expect.objectContaining({ details: ['line 3: "x2" is not an id', 'line 4: "" is not an id'] }),
    )
    expect(() => ids('1\n2x\n')).toThrow(/nothing was changed/)
    expect(() => ids('a1\n2\n')).toThrow(expect.objectContaining({ details: ['line 1: "a1" is not an id'] }))
    const many = Array.from({ length: 8 }, (_, index) => `x${index}`).join('\n')
    expect(() => ids(`1\n${many}`)).toThrow(
      expect.objectContaining({ details: expect.arrayContaining(['and 3 more']) }),
    )
  })

  it.each(['', 'charge_id\n', '\n\n'])('%j has none', (text) => {
    expect(() => ids(text)).toThrow('ids.csv has no id: write one per line')
  })
})

it('an id is digits', () => {
  expect(checkId('1000001')).toBe('1000001')
  expect(() => checkId('ch_1')).toThrow(/give the digits/)
})
