/** Why a request is refused, or a receiver cannot be made. Codes are stable. */
export type ReceiverErrorCode =
  | 'body_not_raw'
  | 'header_missing'
  | 'timestamp_invalid'
  | 'timestamp_too_old'
  | 'timestamp_too_new'
  | 'signature_mismatch'
  | 'not_json'
  | 'settings_invalid'

/** How a server answers each of them. 500: the receiver itself is wrong, and the delivery is good when it comes again. */
const STATUS: Record<ReceiverErrorCode, number> = {
  body_not_raw: 500,
  header_missing: 400,
  timestamp_invalid: 400,
  timestamp_too_old: 401,
  timestamp_too_new: 401,
  signature_mismatch: 401,
  not_json: 422,
  settings_invalid: 500,
}

/** The message is English, says what to do, and has neither secrets nor bytes of the body: answer it, and `portaria deliveries show` shows it. */
export class ReceiverError extends Error {
  readonly code: ReceiverErrorCode
  /** The HTTP status to answer. */
  readonly status: number

  constructor(code: ReceiverErrorCode, message: string) {
    super(message)
    this.name = 'ReceiverError'
    this.code = code
    this.status = STATUS[code]
  }
}
