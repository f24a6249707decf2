/** Bodies of about a size that cost much where a reader does more than walk through them once. */

const many = (count: number, one: (index: number) => string): string[] =>
  Array.from({ length: Math.max(1, Math.floor(count)) }, (_, index) => one(index))
const repeated = (text: string, bytes: number) => text.repeat(Math.ceil(bytes / Buffer.byteLength(text)))
const inText = (text: string) => (bytes: number) => JSON.stringify({ nome: 'Joana Souza', d: repeated(text, bytes) })
const inHidden = (text: string) => (bytes: number) => JSON.stringify({ nome: repeated(text, bytes) })
const hidden = (nome: readonly string[], d: string) => JSON.stringify({ nome, d })

export const NASTY_BODIES: Readonly<Record<string, (bytes: number) => string>> = {
  'hidden texts with one beginning': (n) =>
    hidden(
      many(n / 2000, (index) => `${'a'.repeat(990)}${index}`),
      'a'.repeat(n / 2),
    ),
  'hidden texts that all overlap': (n) =>
    hidden(
      many(Math.sqrt(n), (index) => `${'a'.repeat(index + 8)}b`),
      'a'.repeat(n / 2),
    ),
  'hidden texts, many': (n) =>
    JSON.stringify({ nome: many(n / 28, (i) => `aaab${i}`), d: many(n / 28, (i) => `aaac${i}`) }),
  'one hidden text': inHidden('abcde '),
  'one hidden text with accents': inHidden('a\u0301\u0323'),
  'arrays in arrays': (n) => '['.repeat(n / 2) + ']'.repeat(n / 2),
  'objects in objects': (n) => `${repeated('{"a":', n)}1${'}'.repeat(Math.ceil(n / 5))}`,
  'objects in arrays in objects': (n) =>
    `${repeated('{"b":[{"nome":"abcdefgh"},', n)}1${']}'.repeat(Math.ceil(n / 26))}`,
  'brackets that never close': (n) => '['.repeat(n),
  'many members': (n) => `{${many(n / 12, (index) => `"k${index}":${index}`)}}`,
  'members of one name': (n) => `{${many(n / 12, (index) => `"txid":${index % 10}`)}}`,
  'names with escapes': (n) => `{${many(n / 24, (index) => `"\\u006eome":"abcde${index}"`)}}`,
  'numbers as names': (n) => `{${many(n / 14, (index) => `"${index * 7919}":1`)}}`,
  'one long text': inText('abcde'),
  escapes: inText('\n"'),
  backslashes: inText('\\'),
  'backslashes without an end': (n) => `{"d":"${'\\'.repeat(n)}`,
  'quotation marks': (n) => '"'.repeat(n),
  'quotation marks without an end': (n) => `{"${repeated('"a', n)}`,
  'beginnings of a secret': inText(`${'a'.repeat(15)}c`),
  'accents of two kinds': inText('\u0301\u0323'),
  'accents of one kind': inText('\u0301'),
  'letters that become many': inText('\ufdfa'),
  'sigmas before nothing': inText("Σ'"),
  'letters beyond the BMP': inText('𝒜'),
  'characters without width': inText('\u202a\u200b\u00ad'),
  'digits alone': inText('1'),
  'digits in words': inText('1 '),
  'digits and commas': inText('1,'),
  'digits and points': inText('123.'),
  'one long number': (n) => `{"d":${'1'.repeat(n)}}`,
  'one number of many zeros': (n) => `{"d":1.${'0'.repeat(n)}1}`,
  'many numbers': (n) => `{"d":[${many(n / 10, (index) => String(10_000_000 + index))}]}`,
  'many facts': (n) => `{"pix":[${many(n / 20, (index) => `{"txid":${index},"a":1}`)}]}`,
  'long facts': (n) =>
    JSON.stringify({ pix: many(900, () => 'x'.repeat(n / 900)).map((d, txid) => ({ txid, chave: txid, d })) }),
  amounts: inText('R$ 1.234,56 '),
  currencies: inText('R$ '),
  commas: inText(','),
  pairs: inText('a=b;'),
  labels: inText('cpf: '),
  hyphens: inText('a-'),
  'hyphens between letters with accents': inText('é-日'),
  'different words': (n) => JSON.stringify({ d: many(n / 8, (index) => `a${index}`).join(' ') }),
  'spaces in a text': inText(' '),
  'spaces in front': (n) => `${' '.repeat(n)}{"a":1}`,
  'spaces behind': (n) => `"a"${' '.repeat(n)}`,
  'spaces alone': (n) => ' '.repeat(n),
  'spaces behind each name': (n) => `{${many(n / 200, () => `"a"${' '.repeat(190)}:1`)}}`,
  'form feeds': (n) => `${'\f'.repeat(n)}x`,
  'a form': (n) => repeated('a=b&', n),
  'a form of one name': (n) => `${repeated('a%[]', n)}=x y`,
  'a form with spaces behind': (n) => `a=b${' '.repeat(n)}x`,
  'a long token': (n) => `notification=${'a'.repeat(n)}`,
  markup: (n) => repeated('<a>b</a>', n),
  'no text': (n) => repeated('\0\u0001', n),
}
