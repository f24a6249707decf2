import type { CertificateSet } from '../../domain/expiry.ts'
import { type Said, say } from '../../messages/say.ts'

export const SETS: Readonly<Record<CertificateSet, Said>> = {
  server: say`Server certificates of the gateway`,
  'service-chain': say`Chains of the service`,
  'service-client': say`Callers of the callback listener`,
  'revocation-list': say`Revocation lists`,
  client: say`Client certificate for destinations`,
  'api-client': say`Client certificates of apps`,
  destination: say`Servers of destinations`,
  'service.production': say`Account at the service, production`,
  'service.sandbox': say`Account at the service, sandbox`,
  'service-server': say`Servers of the service`,
  authority: say`Private authority`,
  issued: say`Issued by the private authority`,
}
