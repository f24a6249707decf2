import { createPrivateKey } from 'node:crypto'

/** How a file with a private key is spoiled on its way: each may lead to a text about the file. */
export const BREAKAGES: Readonly<Record<string, (pem: string) => string | Buffer>> = {
  whole: (pem) => pem,
  'with \\n as two characters': (pem) => pem.replaceAll('\n', '\\n'),
  'with spaces for line ends': (pem) => pem.replaceAll('\n', ' '),
  'with tabs for line ends': (pem) => pem.replaceAll('\n', '\t'),
  'without line ends': (pem) => pem.replaceAll('\n', ''),
  'with carriage returns': (pem) => pem.replaceAll('\n', '\r'),
  'one dash lost in front': (pem) => pem.slice(1),
  'one dash lost in front, on one line': (pem) => pem.slice(1).replaceAll('\n', ' '),
  'dashes lost behind BEGIN': (pem) => pem.replace('KEY-----', 'KEY'),
  'dashes lost behind BEGIN, on one line': (pem) => pem.replace('KEY-----', 'KEY').replaceAll('\n', ' '),
  'typographic dashes': (pem) => pem.replaceAll('--', '—'),
  'the first line lost': (pem) => pem.slice(pem.indexOf('\n') + 1),
  'the last line lost': (pem) => pem.slice(0, pem.lastIndexOf('-----END')),
  'only its body': (pem) => bodyOf(pem),
  'cut off': (pem) => pem.slice(0, 150),
  'spoiled inside': (pem) => pem.replace(/\n(.{10})/, '\n$1#'),
  'characters lost': (pem) => pem.replace(/\n(.{10}).{5}/, '\n$1'),
  'called a certificate': (pem) => pem.replaceAll('PRIVATE KEY', 'CERTIFICATE'),
  'called a certificate, on one line': (pem) => pem.replaceAll('PRIVATE KEY', 'CERTIFICATE').replaceAll('\n', ' '),
  'called a revocation list': (pem) => pem.replaceAll('PRIVATE KEY', 'X509 CRL'),
  'called a request': (pem) => pem.replaceAll('PRIVATE KEY', 'CERTIFICATE REQUEST'),
  'called encrypted': (pem) => pem.replaceAll('PRIVATE', 'ENCRYPTED PRIVATE'),
  'with its body in the label': (pem) => pem.replaceAll('KEY', `KEY ${bodyOf(pem).slice(0, 40)}`),
  'different names': (pem) => pem.replace('END PRIVATE', 'END RSA PRIVATE'),
  indented: (pem) => pem.replaceAll(/^/gm, '    '),
  'in quotes': (pem) => JSON.stringify(pem),
  'a value in JSON': (pem) => JSON.stringify({ key: pem }),
  'a value in YAML': (pem) => `privateKey: ${bodyOf(pem)}: x\n`,
  'an alias in YAML': (pem) => `log: *${bodyOf(pem)}\n`,
  'an escape in YAML': (pem) => `log: "\\U${bodyOf(pem)}"\n`,
  'a web page': (pem) => `<html>${pem}</html>`,
  'in UTF-16': (pem) => Buffer.from(`\uFEFF${pem}`, 'utf16le'),
  'in base64 once more': (pem) => Buffer.from(pem).toString('base64'),
  binary: (pem) => createPrivateKey(pem).export({ type: 'pkcs8', format: 'der' }),
  'binary, cut off': (pem) => createPrivateKey(pem).export({ type: 'pkcs8', format: 'der' }).subarray(0, 60),
  'with a byte behind it': (pem) => Buffer.concat([Buffer.from(pem), Buffer.of(0)]),
}

/** Pieces of the key of which none may be in any text: of its base64, and of its base64 in base64. */
export function piecesOf(pem: string): string[] {
  return [bodyOf(pem), Buffer.from(pem).toString('base64').slice(40)].flatMap((text) =>
    // Not the beginning, which is the same in every key of this type.
    Array.from({ length: text.length - 50 }, (_, index) => text.slice(index + 40, index + 50)),
  )
}

function bodyOf(pem: string): string {
  return pem.replaceAll(/-----.*-----|\n/g, '')
}
