import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bytesOfFact } from '../../src/domain/event.ts'
import { elementsOf, isArrayAt, locate, parsePointer, textOf } from '../../src/platform/json-text.ts'

/** JSON as it is written, beside what JSON.parse makes of it: spaces, escapes, repeated members and odd numbers are in the text only. */
type Written = { readonly text: string }

const space = fc.constantFrom('', '', ' ', '\n', '\t', '\r\n  ')
const oddNumber = fc.constantFrom('1.50', '1e400', '-0', '123456789012345678901234567890', '0.10', '-1E-7', '2e+2')
const name = fc.oneof(
  fc.constantFrom('a', 'b', '', '__proto__', 'constructor', 'a/b', 'm~n', '~1', 'ação', '😀', 'a"b', 'a\\b', '0'),
  fc.string({ maxLength: 4 }).filter((text) => !text.includes('\\')),
)

/** A string as JSON text; `escaped` writes every character as \uXXXX. */
const written = (value: string, escaped: boolean) =>
  escaped
    ? `"${[...Array(value.length).keys()].map((i) => `\\u${value.charCodeAt(i).toString(16).padStart(4, '0')}`).join('')}"`
    : JSON.stringify(value)

const text = fc.tuple(fc.oneof(name, fc.constantFrom('[', ']', '{},', '\\"', ',')), fc.boolean())
/**
 * JSON.parse, which is the reference here, may take a name that is written with an escape for an earlier name that looks like its beginning
 * (nodejs/node#63785). Such a name has a backslash.
 */
const memberName = text.filter(([key]) => !key.startsWith('\\'))
const { value: anyJson, array: anyArray } = fc.letrec<{ value: Written; array: Written; object: Written }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom('true', 'false', 'null').map((t) => ({ text: t })),
    oddNumber.map((t) => ({ text: t })),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => ({ text: JSON.stringify(n) })),
    text.map(([t, escaped]) => ({ text: written(t, escaped) })),
    tie('array'),
    tie('object'),
  ),
  array: fc
    .tuple(fc.array(fc.tuple(tie('value'), space, space), { maxLength: 5 }), space)
    .map(([items, s]) => ({ text: `[${s}${items.map(([v, before, after]) => before + v.text + after).join(',')}]` })),
  object: fc
    .tuple(fc.array(fc.tuple(memberName, tie('value'), space, space), { maxLength: 5 }), space)
    .map(([members, s]) => ({
      text: `{${s}${members.map(([[key, escaped], v, a, b]) => `${a}${written(key, escaped)}${b}:${a}${v.text}${b}`).join(',')}}`,
    })),
}))

const escapePointer = (token: string) => token.replaceAll('~', '~0').replaceAll('/', '~1')

/** What RFC 6901 names in a parsed value: own members, and array indexes without leading zeros. */
function resolve(value: unknown, tokens: readonly string[]): unknown {
  let current = value
  for (const token of tokens) {
    const isStep = Array.isArray(current)
      ? /^(0|[1-9][0-9]*)$/.test(token) && Number(token) < current.length
      : typeof current === 'object' && current !== null && Object.hasOwn(current, token)
    if (!isStep) return undefined
    current = (current as Record<string, unknown>)[token]
  }
  return current
}

function find(json: string, pointer: string): string | null {
  const bytes = Buffer.from(json)
  const span = locate(bytes, { start: 0, end: bytes.length }, parsePointer(pointer))
  return span === null ? null : textOf(bytes, span)
}

describe('parsePointer', () => {
  it.each([
    ['', []],
    ['/', ['']],
    ['/a/b', ['a', 'b']],
    ['/a~1b/m~0n', ['a/b', 'm~n']],
    ['/~01', ['~1']],
    ['//', ['', '']],
  ])('reads %j as RFC 6901 says', (pointer, tokens) => {
    expect(parsePointer(pointer)).toEqual(tokens)
  })
})

describe('locate', () => {
  it.each([
    ['{"a":1,"a":2}', '/a', '2'],
    ['{"a":{"b":1},"a":3}', '/a/b', null],
    ['{"__proto__":{"x":1}}', '/__proto__/x', '1'],
    ['{}', '/__proto__', null],
    ['{}', '/constructor', null],
    ['{"\\u0061":1}', '/a', '1'],
    ['{"a\\nb":1}', '/a\\nb', null],
    ['{"a\\\\nb":1}', '/a\\nb', '1'],
    ['{"a/b":1,"m~n":2}', '/a~1b', '1'],
    ['{"a/b":1,"m~n":2}', '/m~0n', '2'],
    ['{"":{"":5}}', '//', '5'],
    ['[1,[2,3]]', '/1/0', '2'],
    ['[1,2]', '/01', null],
    ['[1,2]', '/-', null],
    ['[1,2]', '/2', null],
    ['{"a":"x]}"}', '/a', '"x]}"'],
    ['{"a":1.50}', '/a', '1.50'],
    ['  7  ', '', '7'],
    ['{"a":1}', '/a/b', null],
    ['"text"', '/0', null],
  ])('in %s, %j names %j', (json, pointer, found) => {
    expect(find(json, pointer)).toBe(found)
  })

  it('agrees with JSON.parse on every value, whatever its spaces, escapes and repeated members', () => {
    fc.assert(
      fc.property(anyJson, fc.array(name, { maxLength: 3 }), space, ({ text: json }, tokens, s) => {
        const found = find(s + json + s, tokens.map((token) => `/${escapePointer(token)}`).join(''))
        const expected = resolve(JSON.parse(json), tokens)
        expect(found === null ? undefined : JSON.parse(found)).toEqual(expected)
      }),
      { numRuns: 1000 },
    )
  })

  it('finds every place that there is', () => {
    fc.assert(
      fc.property(anyJson, ({ text: json }) => {
        for (const [pointer, value] of placesOf(JSON.parse(json))) {
          const found = find(json, pointer)
          expect(found, pointer).not.toBeNull()
          expect(JSON.parse(found ?? '')).toEqual(value)
        }
      }),
      { numRuns: 500 },
    )
  })
})

function placesOf(value: unknown, pointer = ''): [string, unknown][] {
  if (typeof value !== 'object' || value === null) return [[pointer, value]]
  const below = Object.entries(value).flatMap(([key, member]) => placesOf(member, `${pointer}/${escapePointer(key)}`))
  return [[pointer, value], ...below]
}

describe('splitting an array', () => {
  it('leaves the envelope with just the one item, copied as it was written', () => {
    fc.assert(
      fc.property(anyArray, fc.array(name, { maxLength: 3 }), space, space, ({ text: array }, path, a, b) => {
        const json = path.reduceRight(
          (inner, key) => `{${a}"z":1.50${b},${JSON.stringify(key)}${a}:${inner}${b}}`,
          `${a}${array}${b}`,
        )
        // Where the path goes through the member "z" twice, the last one counts: it is the one that leads on.
        const bytes = Buffer.from(json)
        const span = locate(bytes, { start: 0, end: bytes.length }, path)
        if (span === null) throw new Error('the array was not found')
        expect(isArrayAt(bytes, span)).toBe(true)
        const items = elementsOf(bytes, span)
        const values = JSON.parse(array) as unknown[]
        expect(items.map((item) => JSON.parse(textOf(bytes, item)))).toEqual(values)
        for (const [index, item] of items.entries()) {
          const part = bytesOfFact(bytes, {
            arrayStart: span.start + 1,
            arrayEnd: span.end - 1,
            itemStart: item.start,
            itemEnd: item.end,
          }).toString()
          expect(JSON.parse(part)).toEqual(withItem(JSON.parse(json), path, [values[index]]))
          expect(part).toContain(`[${textOf(bytes, item)}]`)
        }
      }),
      { numRuns: 500 },
    )
  })

  it('stops after as many items as were asked for', () => {
    const bytes = Buffer.from('[1,2,3,4]')
    expect(elementsOf(bytes, { start: 0, end: bytes.length }, 2)).toHaveLength(2)
    expect(elementsOf(Buffer.from('[ ]'), { start: 0, end: 3 })).toEqual([])
  })
})

function withItem(document: unknown, path: readonly string[], array: unknown[]): unknown {
  const [key, ...rest] = path
  if (key === undefined) return array
  const changed = { ...(document as Record<string, unknown>) }
  Object.defineProperty(changed, key, {
    value: withItem((document as Record<string, unknown>)[key], rest, array),
    enumerable: true,
    configurable: true,
    writable: true,
  })
  return changed
}
