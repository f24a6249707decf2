import fc from 'fast-check'

const deep = (depth: number): unknown => JSON.parse('['.repeat(depth) + ']'.repeat(depth))

/** Values that no endpoint expects, or only some. */
export const oddValue: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(
    ...[null, true, false, 0, -0, 1, -1, 1.5, 1e21, -1e21, 1e308, Number.MAX_SAFE_INTEGER, 2 ** 53, 5e-324],
    ...[
      '',
      ' ',
      'NaN',
      'Infinity',
      '-1',
      '1e3',
      '0x10',
      '١٢٣',
      '\0',
      '\ud800',
      '\udc00x',
      '\u202e',
      '👩‍👩‍👧',
      'é'.repeat(300),
    ],
    ...['__proto__', 'constructor', 'toString', '<script>', "' or 1=1", '{{1}}', '%s', '../../etc/passwd'],
    ...[
      '0000-01-01',
      '9999-12-31',
      '2026-02-30',
      '2026-13-01',
      '-271821-04-20',
      '+275760-09-13',
      '2026-03-02T00:00:00Z',
    ],
    ...['http://', 'https://[', 'https://localhost:99999/', 'https://localhost:0/', 'file:///etc/passwd', '//x'],
    ...['x'.repeat(256), 'x'.repeat(20_000), '9'.repeat(400), [], {}, [[]], [null], deep(1000)],
    ...[{ __proto__: null }, JSON.parse('{"__proto__":{"a":1},"constructor":{"prototype":{}}}'), { toString: 1 }],
  ),
  fc.jsonValue({ maxDepth: 3 }),
  fc.string({ unit: 'binary' }),
  fc.date({ noInvalidDate: true }).map((date) => date.toISOString().slice(0, 10)),
  fc.integer(),
  fc.double({ noNaN: true }),
)

const WHOLE = -1

/** A change of a valid value at any depth: `at` chooses the member by its number. */
interface Change {
  readonly at: number
  readonly how: 'replace' | 'remove' | 'add' | 'repeat'
  readonly value: unknown
  readonly name: string
}

const change: fc.Arbitrary<Change> = fc.record({
  at: fc.nat(60),
  how: fc.constantFrom('replace', 'replace', 'remove', 'add', 'repeat'),
  value: oddValue,
  name: fc.constantFrom('__proto__', 'constructor', 'other', '', 'items', 'payment', '0'),
})

/** Up to three changes of a valid body. */
export const changes: fc.Arbitrary<readonly Change[]> = fc.array(change, { maxLength: 3 })

/** Another value in place of the whole body. */
export const otherBody: fc.Arbitrary<readonly Change[]> = oddValue.map((value) => [
  { at: WHOLE, how: 'replace', value, name: '' },
])

export function changed(valid: unknown, list: readonly Change[]): unknown {
  let value = structuredClone(valid)
  for (const one of list) value = changedOnce(value, one)
  return value
}

function changedOnce(root: unknown, { at, how, value, name }: Change): unknown {
  const places = placesIn(root)
  const place = at === WHOLE ? undefined : places[at % (places.length + 1)]
  if (place === undefined) return how === 'replace' ? value : root
  const { parent, key } = place
  if (how === 'replace') define(parent, key, value)
  else if (how === 'remove') Reflect.deleteProperty(parent, key)
  else if (how === 'add') define(parent, Array.isArray(parent) ? String(parent.length) : name, value)
  else define(parent, key, [parent[key], parent[key]])
  return root
}

/** Also the member `__proto__`, as `JSON.parse` does. */
function define(parent: Record<string, unknown>, key: string, value: unknown): void {
  Object.defineProperty(parent, key, { value, enumerable: true, configurable: true, writable: true })
}

interface Place {
  readonly parent: Record<string, unknown>
  readonly key: string
}

function placesIn(value: unknown, depth = 0): Place[] {
  if (typeof value !== 'object' || value === null || depth > 8) return []
  const parent = value as Record<string, unknown>
  return Object.keys(parent).flatMap((key) => [{ parent, key }, ...placesIn(parent[key], depth + 1)])
}

/** Changes of the text of a body: most of them are no JSON any more, or other values than JavaScript writes. */
export const textChange: fc.Arbitrary<(text: string) => string> = fc.oneof(
  { weight: 8, arbitrary: fc.constant((text: string) => text) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      (text: string) => text.slice(0, text.length / 2),
      (text: string) => `\ufeff${text}`,
      (text: string) => `${text}${text}`,
      (text: string) => text.replace(/\d+/, '1e999'),
      (text: string) => text.replace(/\d+/, 'NaN'),
      (text: string) => text.replace(/"[a-z_]+"/i, '"__proto__"'),
      (text: string) => text.replace('{', '{"a":1,"a":2,'),
      (text: string) => text.replace(/:"/, ':"\\ud800'),
      () => '',
      () => ' ',
      () => 'null',
      () => '"text"',
      () => '['.repeat(5000),
      () => `${'{"a":'.repeat(3000)}1${'}'.repeat(3000)}`,
      () => `[${'1,'.repeat(100_000)}1]`,
      () => `"${'x'.repeat(300_000)}"`,
    ),
  },
)

/** In place of a segment of the path, as it is written there; clients resolve `.` and `..`. */
export const oddSegment: fc.Arbitrary<string> = fc
  .oneof(
    fc.constantFrom('0', '-1', '1.5', '1e3', 'x', '%00', '%ff', '%', '%zz', '%2F', '..%2f', '__proto__', '%20', '+'),
    fc.constantFrom('9'.repeat(30), '9'.repeat(400), 'x'.repeat(2000), '\u202e', '👩‍👩‍👧'.repeat(20), 'constructor'),
    fc.string({ unit: 'binary', minLength: 1 }).map((text) => encodeURIComponent(text.toWellFormed())),
    fc.webSegment(),
  )
  .filter((segment) => !/^(%2e|\.){0,2}$/i.test(segment))

export const oddQuery: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    '',
    '?',
    '&&',
    '=',
    'a[b]=c',
    'a[]=1&a[]=2',
    '__proto__=1',
    '__proto__[x]=1',
    'constructor=1',
    '%=%',
    'x'.repeat(4000),
  ),
  fc.webQueryParameters(),
)

export const contentType: fc.Arbitrary<string> = fc.oneof(
  { weight: 12, arbitrary: fc.constant('application/json') },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      ...[
        '',
        'text/plain',
        'application/x-www-form-urlencoded',
        'multipart/form-data; boundary=x',
        'application/json; charset=utf-16',
      ],
      ...['application/vnd.api+json', 'application/JSON;', 'json', '*/*', 'application/json, text/plain'],
    ),
  },
)

export const oddHeaders: fc.Arbitrary<Record<string, string>> = fc.oneof(
  { weight: 8, arbitrary: fc.constant({}) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Record<string, string>>(
      ...[
        { authorization: '' },
        { authorization: 'Bearer' },
        { authorization: 'Basic %%%' },
        { authorization: 'Bearer ç' },
      ],
      ...[{ 'content-encoding': 'gzip' }, { 'content-encoding': 'br, br' }, { 'accept-encoding': 'zstd' }],
      ...[
        { accept: 'text/html' },
        { 'x-skip-mtls-checking': 'perhaps' },
        { cookie: '__proto__=1' },
        { range: 'bytes=0-1' },
      ],
      ...[
        { 'if-none-match': '*' },
        { 'x-http-method-override': 'DELETE' },
        { forwarded: 'for=[::1]' },
        { 'x-long': 'x'.repeat(8000) },
      ],
    ),
  },
)
