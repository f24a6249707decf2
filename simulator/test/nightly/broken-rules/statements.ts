import { rulesOf } from './broken-rule.ts'

const FILE = rulesOf('account/statements/file.ts', 'account/statements/file.test.ts', [
  [
    'each flag selects its records',
    'content.movements.filter(({ kind }) => kinds.includes(kind))',
    'content.movements.filter(({ kind }) => kind !== undefined)',
    'with pixEnviadoChave alone has the records of this kind, and counts no other',
  ],
  [
    'a semicolon breaks no line of a statement',
    ".replaceAll(';', ',')",
    '',
    'takes from the text "a;b" what could break a line, in the holder’s name too',
  ],
  [
    'the trailer counts the balances',
    "['T', String(records)",
    "['T', String(movements.length)",
    'of a day without movements has header, balances and trailer',
  ],
])

const REQUESTS = [
  ...rulesOf('account/statements/endpoints.ts', 'account/statements/statements.test.ts', [
    [
      'a local day begins at 00:00:00.000',
      'at >= begin && at < end',
      'at > begin && at < end',
      'has the movements of its local day, from 00:00:00.000 to 23:59:59.999',
    ],
  ]),
  ...rulesOf('account/statements/statement.ts', 'account/statements/statements.test.ts', [
    [
      'the same parameters are the same statement',
      'if (known !== undefined) return known\n',
      '',
      'with the same parameters is the same statement, with its first time and its present state',
    ],
    [
      'own statements only',
      'statement?.account === account ? statement : undefined',
      'statement',
      'is also one of another account or environment',
    ],
  ]),
  ...rulesOf('account/statements/schema.ts', 'account/statements/statements.test.ts', [
    ['a statement is of a day before today', 'date < today()', 'date <= today()', 'today is that of the local day'],
    [
      'a statement has records of at least one kind',
      'RECORD_KINDS.some((kind) => chosen[kind])',
      'RECORD_KINDS.some((kind) => kind in chosen)',
      '{"dataMovimento":"2026-03-04","tipoRegistros":{"saldoDia":false}} is 400 with every violation',
    ],
  ]),
]

export const BROKEN_STATEMENTS = [...FILE, ...REQUESTS]
