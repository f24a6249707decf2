/** Why a channel did not send a message. `{words}` are those of the far side or of the system, as they came. */
export const ALARM_FAILURES = {
  name_unknown: {
    text: 'the name {words} has no address',
    nextStep: 'correct the host of the channel, or the name in DNS',
  },
  unreachable: {
    text: 'no connection ({words})',
    nextStep: 'correct host and port, start the receiver, or open the firewall between the gateway and it',
  },
  proxy_not_used: {
    text: 'no connection ({words}); a proxy is set in the environment, and the gateway uses none',
    nextStep:
      'open the firewall between the gateway and the receiver; or use the channel command, whose program may use the proxy',
  },
  address_forbidden: {
    text: 'the gateway sends nothing to this address',
    nextStep: 'addresses of cloud metadata are refused: correct the address of the channel',
  },
  timed_out: {
    text: 'no answer in time',
    nextStep: 'see whether the receiver is overloaded, or a firewall drops the connection',
  },
  certificate_untrusted: {
    text: 'the TLS handshake failed: {words}',
    nextStep: 'name the CA of the server in smtp.authorities, correct its host, or have its certificate renewed',
  },
  tls_refused: {
    text: 'the receiver ended the TLS handshake: {words}',
    nextStep:
      'do what the text says at the receiver, or correct host and port of the channel; its own log has the reason',
  },
  tls_missing: {
    text: 'the mail server offers no TLS',
    nextStep: 'have it offer STARTTLS, or use a port with TLS from the start, such as 465',
  },
  tls_later: {
    text: 'the mail server does not speak TLS from the start at this port',
    nextStep:
      'use its port for TLS from the start, mostly 465, or its port for STARTTLS, mostly 587, without smtp.implicitTls',
  },
  greeting_missing: {
    text: 'the mail server took the connection, and sent no greeting in time',
    nextStep:
      'if it speaks TLS from the start at this port, write smtp.implicitTls: true (it is the default at port 465 alone); otherwise see whether it is overloaded, or a firewall holds the connection',
  },
  login_refused: {
    text: 'the mail server refuses user or password: {words}',
    nextStep: 'correct the content of smtp.userFile and smtp.passwordFile',
  },
  recipient_refused: {
    text: 'the mail server refuses sender or recipient: {words}',
    nextStep: 'correct from and email of the channel, or have the mail server allow them',
  },
  mail_refused: {
    text: 'the mail server refuses the message: {words}',
    nextStep: 'have the administrator of the mail server find the cause of its answer',
  },
  webhook_refused: {
    text: 'the address answers HTTP {words}',
    nextStep: 'correct the address and the format of the channel: the answer of the service names what it dislikes',
  },
  webhook_unknown: {
    text: 'the address is not known to the service: HTTP {words}',
    nextStep: 'make a new webhook at the service, and write its address into the channel',
  },
  webhook_redirects: {
    text: 'the address redirects, which is not followed: HTTP {words}',
    nextStep: 'write the address to which it redirects into the channel',
  },
  webhook_busy: {
    text: 'the service takes no more messages for now: HTTP {words}',
    nextStep: 'wait: alarms are tried again; a longer alarms.group sends fewer messages',
  },
  webhook_failing: {
    text: 'the service fails: HTTP {words}',
    nextStep: 'wait: alarms are tried again; see the status page of the service',
  },
  file_unusable: {
    text: 'a file of the channel cannot be read: {words}',
    nextStep: 'correct the file, its permissions or its path in the configuration',
  },
  program_missing: {
    text: 'the program cannot be started: {words}',
    nextStep: 'correct the path in command, and make the file executable for the user of the gateway',
  },
  program_failed: {
    text: 'the program failed: {words}',
    nextStep: 'run it by hand as the user of the gateway, with a text on its standard input',
  },
  program_killed: {
    text: 'the program did not end in time, and was killed',
    nextStep: 'let it end within 20 s: what takes longer belongs into the background',
  },
  failed: {
    text: 'sending failed: {words}',
    nextStep: 'the log of the gateway has more (alarm.failed)',
  },
} as const satisfies Record<string, FailureText>

export interface FailureText {
  readonly text: string
  readonly nextStep: string
}

export type AlarmFailureCode = keyof typeof ALARM_FAILURES
export const ALARM_FAILURE_CODES = Object.keys(ALARM_FAILURES) as readonly AlarmFailureCode[]

export interface AlarmFailureFacts {
  readonly code: AlarmFailureCode
  /** Of the far side or of the system, without secrets; null: there are none. */
  readonly words: string | null
}

/** What went wrong, in English. */
export function failureText({ code, words }: AlarmFailureFacts): string {
  return ALARM_FAILURES[code].text.replaceAll('{words}', () => words ?? '')
}

/** As the detail of a reason: the code, and behind a colon the words. */
export function failureDetail({ code, words }: AlarmFailureFacts): string {
  return words === null ? code : `${code}: ${words}`
}
