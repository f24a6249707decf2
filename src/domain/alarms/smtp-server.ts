/** How e-mails of a channel are submitted. Files are read for each message. */
export interface SmtpServer {
  readonly host: string
  readonly port: number
  /** TLS from the start (RFC 8314 section 3.3), as at port 465; otherwise STARTTLS (RFC 3207), without which only a loopback address is used. */
  readonly isImplicitTls: boolean
  /** Path of a PEM file; null: the public ones. */
  readonly authorities: string | null
  readonly userFile: string | null
  readonly passwordFile: string | null
}
