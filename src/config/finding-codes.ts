/**
 * Every kind of finding of `portaria check`, and whether `check.accepted` may name it. A finding cannot be accepted where the gateway would not
 * start, would lose callbacks, or would accept callers that nothing proves: there the cause must be removed.
 */
const CODES = {
  'configuration.invalid': 'never',
  'secrets.unusable': 'never',
  'secrets.not_checked': 'acceptable',
  'mode.development': 'acceptable',
  'charges.off': 'acceptable',
  'charges.without_tls': 'acceptable',
  'accounts.any': 'acceptable',
  'node.outdated': 'acceptable',
  'node.unneeded_fixes': 'acceptable',
  'file.mode': 'acceptable',
  'file.owner': 'acceptable',
  'file.unreadable': 'never',
  'file.writable': 'never',
  'folder.writable': 'never',
  'operator_token.unusable': 'never',
  'database.mode': 'acceptable',
  'database.folder': 'never',
  'certificate.unusable': 'never',
  'certificate.missing': 'acceptable',
  'certificate.expired': 'never',
  'certificate.urgent': 'never',
  'certificate.expiring': 'acceptable',
  'certificate.not_renewed': 'acceptable',
  'certificate.authority': 'acceptable',
  'certificate.incomplete': 'acceptable',
  'certificate.usage': 'acceptable',
  'certificate.names': 'acceptable',
  'client_ca.unusable': 'never',
  'client_ca.dates': 'acceptable',
  'trust.unusable': 'never',
  'trust.missing': 'acceptable',
  'trust.remark': 'acceptable',
  'trust.test_ca': 'never',
  'trust.caller_usage': 'acceptable',
  'trust.refused_usage': 'acceptable',
  'trust.revocation_list': 'acceptable',
  'database.unusable': 'never',
  'database.missing': 'acceptable',
  'database.replaced': 'never',
  'integrity.damaged': 'never',
  'integrity.unfinished': 'acceptable',
  'search.behind': 'acceptable',
  'space.unknown': 'acceptable',
  'space.low': 'acceptable',
  'space.exhausted': 'never',
  'clock.behind': 'never',
  'clock.ahead': 'never',
  'clock.differs': 'acceptable',
  'gateway.unreachable': 'never',
  'gateway.older': 'acceptable',
  'listener.unavailable': 'never',
  'listener.any_port': 'acceptable',
  'listener.silent': 'never',
  'listener.other_certificate': 'never',
  'listener.open': 'never',
  'callbacks.refused': 'acceptable',
  'api.not_ready': 'never',
  'api.foreign': 'never',
  'open_files.too_few': 'never',
  'open_files.lowered': 'acceptable',
  'forwarding.none': 'acceptable',
  'destination.paused': 'acceptable',
  'destination.unreachable': 'acceptable',
  'destination.silent': 'acceptable',
  'destination.client_certificate': 'acceptable',
  'service.public_url': 'acceptable',
  'service.environment': 'acceptable',
  'service.chain': 'acceptable',
  'service.tokens': 'acceptable',
  'service.tokens_many': 'acceptable',
  'service.address': 'acceptable',
  'service.secret_unusable': 'acceptable',
  'service.certificate_unusable': 'acceptable',
  'service.certificate_usage': 'acceptable',
  'service.authorities_unusable': 'acceptable',
  'service.credentials_refused': 'acceptable',
  'service.certificate_refused': 'acceptable',
  'service.unreachable': 'acceptable',
  'outside.unreachable': 'acceptable',
  'outside.request': 'acceptable',
  'outside.untrusted_accepted': 'never',
  'outside.not_tried': 'acceptable',
  'outside.old_tls': 'acceptable',
  'outside.redirect': 'acceptable',
  'outside.suffix': 'acceptable',
  'outside.certificate': 'acceptable',
  'outside.name': 'acceptable',
  'outside.sni': 'acceptable',
} as const

export type FindingCode = keyof typeof CODES

/** Stable: scripts and `check.accepted` name them. */
export const FINDING_CODES = Object.keys(CODES) as readonly FindingCode[]

export const ACCEPTABLE_CODES = FINDING_CODES.filter((code) => CODES[code] === 'acceptable')

/** A finding that `portaria check` reports without effect on its exit code. */
export interface AcceptedFinding {
  readonly code: FindingCode
  /** Only the finding about this subject, as `check` prints it; null: every one with the code. */
  readonly what: string | null
  readonly reason: string
}
