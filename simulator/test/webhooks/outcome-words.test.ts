import { expect, it } from 'vitest'
import { outcomeInPortuguese } from '../../src/webhooks/outcome-words.ts'

const REASON = 'text of Node or OpenSSL'

it.each([
  ['unreachable', ''],
  ['handshake_failed', 'o handshake TLS falhou'],
  ['untrusted', 'o certificado do servidor não é confiável'],
  ['not_http', 'a resposta não é HTTP'],
  ['name_unknown', ''],
  ['forbidden_address', 'o simulador só chama endereços públicos com a configuração webhooks.allowPublicAddresses'],
] as const)('%s with a code that no one knows has no other words than: %s', (kind, words) => {
  expect(outcomeInPortuguese({ kind, reason: REASON, code: 'E_OTHER' })).toBe(words)
})
